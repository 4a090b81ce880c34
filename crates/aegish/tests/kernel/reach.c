// Ways to a closed file or a process outside, by a program that starts nothing. Prints "reached" if it got there.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *key = "/mnt/home/.ssh/id_rsa";

static int has(int fd) {
  char text[64] = {0};
  int got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  puts(got > 0 && strstr(text, "secret") ? "reached" : "failed");
  return 0;
}

static int wrote(int fd) { puts(fd >= 0 && write(fd, "x", 1) == 1 ? "reached" : "failed"); return 0; }

static int way(const char *name, pid_t outside) {
  char path[256], text[64] = {0};
#define WAY(word) if (strcmp(name, word) == 0)
  WAY("open") return has(open(key, O_RDONLY));
  WAY("openat2") { struct open_how how = {.flags = O_RDONLY}; return has(syscall(SYS_openat2, AT_FDCWD, key, &how, sizeof how)); }
  WAY("dots") return has(open("/mnt/home/project/../.ssh/./id_rsa", O_RDONLY));
  WAY("relative") { if (chdir("/mnt/home/.ssh")) return 9; return has(open("id_rsa", O_RDONLY)); }
  WAY("directory") { int dir = open("/mnt/home/.ssh", O_PATH); return has(openat(dir, "id_rsa", O_RDONLY)); }
  WAY("symlink") { unlink("l"); if (symlink(key, "l")) return 9; return has(open("l", O_RDONLY)); }
  WAY("hard-link") { unlink("h"); if (link(key, "h")) return has(-1); return has(open("h", O_RDONLY)); }
  WAY("link-by-descriptor") { int fd = open(key, O_PATH); snprintf(path, sizeof path, "/proc/self/fd/%d", fd); unlink("h2"); if (linkat(AT_FDCWD, path, AT_FDCWD, "h2", AT_SYMLINK_FOLLOW)) return has(-1); return has(open("h2", O_RDONLY)); }
  WAY("reopen") { int fd = open(key, O_PATH); snprintf(path, sizeof path, "/proc/self/fd/%d", fd); return has(open(path, O_RDONLY)); }
  WAY("rename") { if (rename(key, "/mnt/home/project/k")) return has(-1); return has(open("/mnt/home/project/k", O_RDONLY)); }
  WAY("rename-directory") { if (rename("/mnt/home/.ssh", "/mnt/home/project/d")) return has(-1); return has(open("/mnt/home/project/d/id_rsa", O_RDONLY)); }
  WAY("exchange") { close(open("e", O_CREAT | O_RDWR, 0600)); if (syscall(SYS_renameat2, AT_FDCWD, key, AT_FDCWD, "e", 2)) return has(-1); return has(open("e", O_RDONLY)); }
  WAY("proc-root") return has(open("/proc/self/root/mnt/home/.ssh/id_rsa", O_RDONLY));
  WAY("proc-cwd") return has(open("/proc/self/cwd/../.ssh/id_rsa", O_RDONLY));
  WAY("proc-of-other") { snprintf(path, sizeof path, "/proc/%d/root/mnt/home/.ssh/id_rsa", outside); return has(open(path, O_RDONLY)); }
  WAY("map") { int fd = open(key, O_RDONLY); char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0); puts(page != MAP_FAILED && strstr(page, "secret") ? "reached" : "failed"); return 0; }
  WAY("sendfile") { int pipes[2]; if (pipe(pipes)) return 9; int fd = open(key, O_RDONLY); if (sendfile(pipes[1], fd, NULL, 64) <= 0) return has(-1); return has(pipes[0]); }
  WAY("copy-range") { int to = open("c", O_CREAT | O_RDWR, 0600), fd = open(key, O_RDONLY); if (copy_file_range(fd, NULL, to, NULL, 64, 0) <= 0) return has(-1); lseek(to, 0, SEEK_SET); return has(to); }
  WAY("handle") {
    struct { struct file_handle head; char rest[128]; } handle = {.head.handle_bytes = 128};
    int mount, root = open("/mnt/home", O_RDONLY);
    if (name_to_handle_at(AT_FDCWD, key, &handle.head, &mount, 0)) return has(-1);
    return has(open_by_handle_at(root, &handle.head, O_RDONLY));
  }
  WAY("chroot") { if (chroot("/mnt/home")) return has(-1); return has(open("/.ssh/id_rsa", O_RDONLY)); }
  WAY("user-namespace-mount") {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return has(-1);
    mkdir("m", 0700);
    if (mount("/mnt/home/.ssh", "m", NULL, MS_BIND, NULL)) return has(-1);
    return has(open("m/id_rsa", O_RDONLY));
  }
  WAY("mount") {
    if (unshare(CLONE_NEWNS)) return has(-1);
    mkdir("m2", 0700);
    if (mount("/mnt/home/.ssh", "m2", NULL, MS_BIND, NULL)) return has(-1);
    return has(open("m2/id_rsa", O_RDONLY));
  }
  WAY("tree") { int tree = syscall(SYS_open_tree, AT_FDCWD, "/mnt/home/.ssh", 1 | O_CLOEXEC); return has(openat(tree, "id_rsa", O_RDONLY)); }
  WAY("child") { if (fork() == 0) { has(open(key, O_RDONLY)); fflush(stdout); _exit(0); } wait(NULL); return 0; }
  WAY("write") return wrote(open("/mnt/home/.ssh/authorized_keys", O_WRONLY | O_APPEND));
  WAY("truncate") { puts(truncate("/mnt/home/.ssh/authorized_keys", 0) == 0 ? "reached" : "failed"); return 0; }
  WAY("replace") { close(open("r", O_CREAT | O_RDWR, 0600)); puts(rename("r", "/mnt/home/.ssh/authorized_keys") == 0 ? "reached" : "failed"); return 0; }
  WAY("unlink") { puts(unlink("/mnt/home/.ssh/authorized_keys") == 0 ? "reached" : "failed"); return 0; }
  WAY("create-beside") { return wrote(open("/mnt/home/.ssh/rc", O_CREAT | O_WRONLY, 0600)); }
  WAY("elsewhere") return wrote(open("/mnt/home/other/notes", O_WRONLY | O_APPEND));
  WAY("device") { puts(mknod("node", S_IFBLK | 0600, 0x700) == 0 ? "reached" : "failed"); return 0; }
  WAY("signal") { puts(kill(outside, SIGCONT) == 0 ? "reached" : "failed"); return 0; }
  WAY("ptrace") { puts(ptrace(PTRACE_SEIZE, outside, 0, 0) == 0 ? "reached" : "failed"); return 0; }
  WAY("memory-of-other") {
    snprintf(path, sizeof path, "/proc/%d/mem", outside);
    puts(open(path, O_RDWR) >= 0 ? "reached" : "failed");
    return 0;
  }
  WAY("variables-of-other") { snprintf(path, sizeof path, "/proc/%d/environ", outside); int fd = open(path, O_RDONLY); puts(fd >= 0 && read(fd, text, 1) == 1 ? "reached" : "failed"); return 0; }
  WAY("descriptors-of-other") { int fd = syscall(SYS_pidfd_open, outside, 0); puts(fd >= 0 && syscall(SYS_pidfd_getfd, fd, 0, 0) >= 0 ? "reached" : "failed"); return 0; }
  WAY("read-other") {
    char byte; struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    errno = 0; process_vm_readv(outside, &here, 1, &there, 1, 0);
    puts(errno == EPERM ? "failed" : "reached");
    return 0;
  }
  return 1;
}

int main(int argc, char **argv) { return way(argv[1], argc > 2 ? atoi(argv[2]) : 1); }
