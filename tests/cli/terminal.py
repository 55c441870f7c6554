"""Runs a command on a pseudo terminal and tells what it drew.

terminal.py COLUMNS[,COLUMNS...] COMMAND...: further widths are set one after the other, one
second apart. Prints 'status N', 'lines N' (states of the status line), 'longest N' (its longest
state in columns, of those drawn for the narrowest width), then all states without control
sequences, the narrowest last."""
import fcntl, os, pty, re, select, struct, sys, termios, time

widths = [int(w) for w in sys.argv[1].split(",")]


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


pid, fd = pty.fork()
if pid == 0:
    resize(0, widths[0])
    os.execvp(sys.argv[2], sys.argv[2:])
output, since, width = [b""], time.time(), 0
while True:
    ready, _, _ = select.select([fd], [], [], 0.2)
    if width + 1 < len(widths) and time.time() > since + width + 1 and output[-1]:
        width += 1
        output.append(b"")
        resize(fd, widths[width])
    if not ready:
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    output[-1] += data
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def states(data):
    drawn = [s for s in re.split(rb"\r", data) if s.startswith(b"\x1b[K") or s.startswith(b"\x1b[J")]
    texts = [s.split(b"\n")[0].decode() for s in drawn]
    return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", t) for t in texts]


everything = [s for part in output for s in states(part)]
print("status", status)
print("lines", len(everything))
print("longest", max([len(s) for s in states(output[-1])] or [0]))
print("colours", len(re.findall(rb"\x1b\[[0-9;]+m", b"".join(output))))
print("\n".join(everything))
