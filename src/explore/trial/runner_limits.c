#include "explore/trial/runner_limits.h"
#include "device/memory.h"
#include "device/traits.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Exit statuses: out of memory, or OF_SIGNAL plus the signal. A thread without stack for
 * a handler dies of the signal itself. */
enum { NO_MEMORY = 63, OF_SIGNAL = 64, MOST_SIGNAL = 31 };

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

static size_t probe_bytes = 1 << 20;

/* Tests whether memory is exhausted: a failed allocation usually shows as a fault when
 * its result is used. */
static void on_fault(int signal)
{
    void *memory = mmap(NULL, probe_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    _exit(memory == MAP_FAILED ? NO_MEMORY : OF_SIGNAL + signal);
}

static void limit_memory(void)
{
    int64_t available = device_cpu_available_memory() / 4 * 3,
            used = device_own_memory(5);
    struct rlimit limit;

    if (available == 0 || used == 0 || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    limit.rlim_cur = (rlim_t)(used + available);
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_DATA, &limit) == 0)
        probe_bytes = (size_t)available / 8;
}

/* Offsets of the halves of a system call's argument. */
enum { LOW = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0, HIGH = 4 - LOW };

#define ARGUMENT(n, half)                                                                \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                                   \
             offsetof(struct seccomp_data, args) + 8 * (n) + (half))
#define SKIP_UNLESS(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, n)

/* Makes the handler of SIGSEGV permanent. Before the first launch, the compiler in a
 * driver (LLVM) installs a one-shot handler. After a fault the default handler is active
 * until LLVM restores ours. A fault of a second thread in between would look like a stack
 * overflow. Without seccomp filters, this rare case remains. */
static void keep_handler(void)
{
    static struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        SKIP_UNLESS(SYS_rt_sigaction, 7),
        ARGUMENT(0, LOW),
        SKIP_UNLESS(SIGSEGV, 5),
        ARGUMENT(1, LOW),
        SKIP_UNLESS(0, 2),
        ARGUMENT(1, HIGH),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof code[0], code};

    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
            &program);
}

/* Returns true if the handler is new. */
static bool put_handler(int signal)
{
    struct sigaction now, ours = {.sa_handler = on_fault};

    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL &&
           sigaction(signal, &ours, NULL) == 0;
}

void runner_limits_put(const struct lift_device_info *info)
{
    bool here = lift_device_traits(info)->in_process;

    prctl(PR_SET_NAME, "lift-runner");
    if (here)
        limit_memory();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (put_handler(signals[i]) && signals[i] == SIGSEGV && info->is_cpu && !here)
            keep_handler();
}

const char *runner_limits_read(struct lift_worker_result *result)
{
    int code = result->code;

    if (result->end == LIFT_WORKER_EXITED && code == NO_MEMORY)
        return "the kernel used up the memory";
    if (result->end == LIFT_WORKER_CRASHED && code == SIGSEGV)
        return "the kernel used up the stack";
    if (result->end == LIFT_WORKER_EXITED && code > OF_SIGNAL &&
        code <= OF_SIGNAL + MOST_SIGNAL)
        *result = (struct lift_worker_result){LIFT_WORKER_CRASHED, code - OF_SIGNAL};
    return NULL;
}
