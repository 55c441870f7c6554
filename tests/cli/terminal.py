"""Runs a command on a pseudo terminal and tells what it drew.

terminal.py COLUMNS[,COLUMNS...] COMMAND...: when the status line was drawn a few times for a width,
the next one is set; after the last of several the command is interrupted. Prints 'status N', 'lines N'
(states of the status line), 'longest N' (its longest state in columns, of those drawn for the last
width), then all states without control sequences, those of the last width last."""
import fcntl, os, pty, re, select, signal, struct, sys, termios

FEW = 4  # states of the line before something is done
LATE = 2  # states that may have been begun for the width before
widths = [int(w) for w in sys.argv[1].split(",")]


def resize(fd, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def states(data):
    drawn = [s for s in re.split(rb"\r", data) if s.startswith(b"\x1b[K") or s.startswith(b"\x1b[J")]
    texts = [s.split(b"\n")[0].decode() for s in drawn]
    return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", t) for t in texts]


def take(fd, seconds):
    """What the command wrote; empty if it wrote nothing for so long, None if it has ended."""
    if not select.select([fd], [], [], seconds)[0]:
        return b""
    try:
        return os.read(fd, 65536) or None
    except OSError:
        return None


def change(pid, fd, columns, output):
    """Another width, while the command stands still: what it wrote before is of the old one."""
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    data = take(fd, 0.2)
    while data:
        output[-1] += data
        data = take(fd, 0.2)
    output.append(b"")
    resize(fd, columns)
    os.kill(pid, signal.SIGCONT)


pid, fd = pty.fork()
if pid == 0:
    resize(0, widths[0])
    os.execvp(sys.argv[2], sys.argv[2:])
output, interrupted = [b""], len(widths) == 1
data = b""
while data is not None:
    output[-1] += data
    if len(states(output[-1])) < FEW:
        pass
    elif len(output) < len(widths):
        change(pid, fd, widths[len(output)], output)
    elif not interrupted:
        interrupted = True
        os.kill(pid, signal.SIGINT)
    data = take(fd, 1)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
everything = [s for part in output for s in states(part)]
last = states(output[-1])[LATE if len(output) > 1 else 0 :]
print("status", status)
print("lines", len(everything))
print("longest", max([len(s) for s in last] or [0]))
print("colours", len(re.findall(rb"\x1b\[[0-9;]+m", b"".join(output))))
print("\n".join(everything))
