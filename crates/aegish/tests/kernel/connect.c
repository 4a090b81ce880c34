// Ways to reach a service that a guard would not let a program reach. Prints "reached" if the service answered.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *service = "/var/tmp/docker.sock";

static struct sockaddr_un named(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return address;
}

static int told(int fd) {
  char byte = 0;
  int got = read(fd, &byte, 1);
  if (got == 1 && byte == '!') { puts("reached"); return 0; }
  printf("no answer %s\n", strerror(errno));
  return 1;
}

static int to(int fd, const void *address, socklen_t size) {
  if (connect(fd, address, size)) { printf("failed %s\n", strerror(errno)); return 1; }
  return told(fd);
}

static int to_path(const char *path) {
  struct sockaddr_un address = named(path);
  return to(socket(AF_UNIX, SOCK_STREAM, 0), &address, sizeof address);
}

static struct sockaddr_in internet(const char *host, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

static int to_host(const char *host, int port) {
  struct sockaddr_in address = internet(host, port);
  return to(socket(AF_INET, SOCK_STREAM, 0), &address, sizeof address);
}

static int to_host6(const char *host, int port) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  inet_pton(AF_INET6, host, &address.sin6_addr);
  return to(socket(AF_INET6, SOCK_STREAM, 0), &address, sizeof address);
}

// Another thread changes the address between two that have the same length.
static volatile int stop;
static struct { char *memory; const char *one, *other; size_t size; } flips;
static void *flip(void *unused) {
  while (!stop) { memcpy(flips.memory, flips.one, flips.size); memcpy(flips.memory, flips.other, flips.size); }
  return unused;
}

static int race(void *memory, const void *one, const void *other, size_t size, int family, int tries) {
  flips.memory = memory; flips.one = one; flips.other = other; flips.size = size;
  pthread_t thread;
  pthread_create(&thread, NULL, flip, NULL);
  int reached = 0, elsewhere = 0;
  for (int i = 0; i < tries; i++) {
    int fd = socket(family, SOCK_STREAM, 0);
    memcpy(memory, i % 2 ? one : other, size);
    if (connect(fd, memory, size) == 0) {
      char byte = 0;
      if (read(fd, &byte, 1) == 1) { if (byte == '!') reached++; else elsewhere++; }
    }
    close(fd);
  }
  stop = 1;
  pthread_join(thread, NULL);
  printf("elsewhere %d\n", elsewhere);
  if (reached) printf("reached %d\n", reached);
  return 0;
}

// Another thread puts another socket under the number.
static int numbers[3];
static void *exchange(void *unused) {
  while (!stop) { dup2(numbers[1], numbers[0]); dup2(numbers[2], numbers[0]); }
  return unused;
}

static int serve(const char *place, char answer) {
  int fd;
  if (place[0] == '/') {
    struct sockaddr_un address = named(place);
    unlink(place);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (void *)&address, sizeof address)) return perror("bind"), 1;
    chmod(place, 0777);
  } else {
    int on = 1;
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(atoi(place)), .sin6_addr = in6addr_any};
    fd = socket(AF_INET6, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (void *)&address, sizeof address)) return perror("bind"), 1;
    int fast = 5;
    setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &fast, sizeof fast);
  }
  if (listen(fd, 4096)) return perror("listen"), 1;
  if (fork()) return 0;
  setsid();
  for (int n = 0; n < 3; n++) { close(n); open("/dev/null", O_RDWR); }
  alarm(600);
  for (;;) { int peer = accept(fd, NULL, NULL); if (peer >= 0) { if (write(peer, &answer, 1) < 0) {} close(peer); } }
}

static int way(const char *name, int tries) {
  char path[256];
#define WAY(text) if (strcmp(name, text) == 0)
  WAY("path") return to_path(service);
  WAY("symlink") { unlink("s"); if (symlink(service, "s")) return 9; return to_path("s"); }
  WAY("hard-link") { unlink("/var/tmp/other"); if (link(service, "/var/tmp/other")) return 9; return to_path("/var/tmp/other"); }
  WAY("renamed") { if (rename(service, "/var/tmp/x")) return 9; int got = to_path("/var/tmp/x"); rename("/var/tmp/x", service); return got; }
  WAY("dots") return to_path("/var/tmp/../tmp/./docker.sock");
  WAY("relative") { if (chdir("/var/tmp")) return 9; return to_path("docker.sock"); }
  WAY("descriptor") { int dir = open("/var/tmp", O_PATH); snprintf(path, sizeof path, "/proc/self/fd/%d/docker.sock", dir); return to_path(path); }
  WAY("descriptor-itself") { int fd = open(service, O_PATH); snprintf(path, sizeof path, "/proc/self/fd/%d", fd); return to_path(path); }
  WAY("root-of-other") return to_path("/proc/1/root/var/tmp/docker.sock");
  WAY("own-root") return to_path("/proc/self/root/var/tmp/docker.sock");
  WAY("chroot") { if (chroot("/var")) return 9; return to_path("/tmp/docker.sock"); }
  WAY("bind-mount") {
    if (unshare(CLONE_NEWNS) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return 9;
    close(open("here", O_CREAT, 0600));
    if (mount(service, "here", NULL, MS_BIND, NULL)) return 9;
    return to_path("here");
  }
  WAY("hidden") { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); return to_path(service); }
  WAY("nonblocking") { struct sockaddr_un address = named(service); return to(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), &address, sizeof address) && 0; }
  WAY("vfork") { pid_t child = vfork(); if (child == 0) { to_path(service); fflush(stdout); _exit(0); } wait(NULL); return 0; }
  WAY("user-namespace") { if (unshare(CLONE_NEWUSER)) return 9; return to_path(service); }
  WAY("without-end") {
    struct sockaddr_un address = named(service);
    return to(socket(AF_UNIX, SOCK_STREAM, 0), &address, offsetof(struct sockaddr_un, sun_path) + strlen(service));
  }
  WAY("32-bit") {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address = named(service), *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    *low = address;
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(362), "b"(fd), "c"(low), "d"(sizeof address) : "memory");
    if (result) { printf("failed %ld\n", result); return 1; }
    return told(fd);
  }
  WAY("32-bit-old") {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    *(struct sockaddr_un *)(low + 64) = named(service);
    uint32_t *list = (uint32_t *)low;
    list[0] = fd; list[1] = (uint32_t)(uintptr_t)(low + 64); list[2] = sizeof(struct sockaddr_un);
    long result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(102), "b"(3), "c"(low) : "memory");
    if (result) { printf("failed %ld\n", result); return 1; }
    return told(fd);
  }
  WAY("race-path") {
    struct sockaddr_un one = named(service), other = named("/var/tmp/harmless_"), *both = malloc(sizeof one);
    *both = one;
    return race(both, &one, &other, sizeof one, AF_UNIX, tries);
  }
  WAY("race-address") {
    struct sockaddr_in one = internet("10.9.8.7", 7001), other = internet("127.0.0.1", 7002), *both = malloc(sizeof one);
    *both = one;
    return race(both, &one, &other, sizeof one, AF_INET, tries);
  }
  WAY("race-socket") {
    struct sockaddr_un one = named(service);
    struct sockaddr_in other = internet("127.0.0.1", 7002);
    char *both = calloc(1, 128);
    flips.memory = both; flips.one = (char *)&one; flips.other = (char *)&other; flips.size = sizeof other;
    memcpy(both, &one, sizeof one);
    numbers[0] = dup(0);
    pthread_t first, second;
    pthread_create(&first, NULL, flip, NULL);
    pthread_create(&second, NULL, exchange, NULL);
    int reached = 0;
    for (int i = 0; i < tries; i++) {
      numbers[1] = socket(AF_UNIX, SOCK_STREAM, 0); numbers[2] = socket(AF_INET, SOCK_STREAM, 0);
      if (i % 2) { memcpy(both, &one, sizeof other); dup2(numbers[1], numbers[0]); }
      connect(numbers[0], (void *)both, sizeof one);
      char byte = 0;
      if (recv(numbers[1], &byte, 1, 0) == 1 && byte == '!') reached++;
      close(numbers[1]); close(numbers[2]);
    }
    if (reached) printf("reached %d\n", reached);
    return 0;
  }
  WAY("far") return to_host("10.9.8.7", 7001);
  WAY("far-mapped") return to_host6("::ffff:10.9.8.7", 7001);
  WAY("far-fast-open") {
    struct sockaddr_in address = internet("10.9.8.7", 7001);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (sendto(fd, "x", 1, MSG_FASTOPEN, (void *)&address, sizeof address) < 0) { printf("failed %s\n", strerror(errno)); return 1; }
    return told(fd);
  }
  WAY("far-fast-message") {
    struct sockaddr_in address = internet("10.9.8.7", 7001);
    struct iovec part = {"x", 1};
    struct msghdr message = {.msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (sendmsg(fd, &message, MSG_FASTOPEN) < 0) { printf("failed %s\n", strerror(errno)); return 1; }
    return told(fd);
  }
  WAY("udp") {
    struct sockaddr_in address = internet("10.9.8.7", 7003);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    puts(fd >= 0 && sendto(fd, "x", 1, 0, (void *)&address, sizeof address) == 1 ? "reached" : "failed");
    return 0;
  }
  WAY("udp6") { puts(socket(AF_INET6, SOCK_DGRAM, 0) >= 0 ? "reached" : "failed"); return 0; }
  WAY("raw") { puts(socket(AF_INET, SOCK_RAW, 1) >= 0 ? "reached" : "failed"); return 0; }
  WAY("ping") { puts(socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP) >= 0 ? "reached" : "failed"); return 0; }
  WAY("packet") { puts(socket(AF_PACKET, SOCK_RAW, 0) >= 0 ? "reached" : "failed"); return 0; }
  WAY("netlink") { puts(socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT) >= 0 ? "reached" : "failed"); return 0; }
  WAY("vsock") { puts(socket(AF_VSOCK, SOCK_STREAM, 0) >= 0 ? "reached" : "failed"); return 0; }
  WAY("datagram") {
    struct sockaddr_un address = named("/var/tmp/datagrams");
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    puts(fd >= 0 && sendto(fd, "x", 1, 0, (void *)&address, sizeof address) == 1 ? "reached" : "failed");
    return 0;
  }
  WAY("datagram-pair") {
    struct sockaddr_un address = named("/var/tmp/datagrams");
    int both[2] = {-1, -1};
    int made = socketpair(AF_UNIX, SOCK_DGRAM, 0, both);
    puts(made == 0 && sendto(both[0], "x", 1, 0, (void *)&address, sizeof address) == 1 ? "reached" : "failed");
    return 0;
  }
  WAY("listen") {
    struct sockaddr_in address = internet("0.0.0.0", 7009);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    puts(bind(fd, (void *)&address, sizeof address) == 0 && listen(fd, 5) == 0 ? "reached" : "failed");
    return 0;
  }
  WAY("listen-unbound") { puts(listen(socket(AF_INET, SOCK_STREAM, 0), 5) == 0 ? "reached" : "failed"); return 0; }
  WAY("listen-any-6") {
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(7010), .sin6_addr = in6addr_any};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    puts(bind(fd, (void *)&address, sizeof address) == 0 && listen(fd, 5) == 0 ? "reached" : "failed");
    return 0;
  }
  WAY("listen-here") {
    struct sockaddr_in address = internet("127.0.0.1", 7011);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    puts(bind(fd, (void *)&address, sizeof address) == 0 && listen(fd, 5) == 0 ? "reached" : "failed");
    return 0;
  }
  WAY("here") return to_host("127.0.0.1", 7001);
  WAY("here-6") return to_host6("::1", 7001);
  WAY("here-nothing") return to_host("0.0.0.0", 7001);
  WAY("other-port") return to_host("10.9.8.7", 7002);
  WAY("harmless") return to_path("/var/tmp/harmless_");
  WAY("nobody") { printf("%d %s\n", to_host("127.0.0.1", 9), strerror(errno)); return 0; }
  WAY("interrupted") {
    // An address that nobody answers; the alarm must end the wait.
    struct sigaction action = {.sa_handler = (void (*)(int))puts};
    action.sa_handler = (void (*)(int))abs;
    sigaction(SIGALRM, &action, NULL);
    struct sockaddr_un full = named("/var/tmp/full");
    alarm(1);
    int last = 0;
    for (int i = 0; i < 100 && last == 0; i++) last = connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&full, sizeof full);
    printf("%s\n", last && errno == EINTR ? "interrupted" : strerror(errno));
    return 0;
  }
  return 1;
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (strcmp(argv[1], "serve") == 0) return serve(argv[2], argv[3][0]);
  if (strcmp(argv[1], "full") == 0) {
    struct sockaddr_un address = named("/var/tmp/full");
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink("/var/tmp/full");
    if (bind(fd, (void *)&address, sizeof address) || listen(fd, 1)) return perror("full"), 1;
    chmod("/var/tmp/full", 0777);
    if (fork() == 0) { setsid(); for (int n = 0; n < 3; n++) { close(n); open("/dev/null", O_RDWR); } sleep(60); _exit(0); }
    return 0;
  }
  if (strcmp(argv[1], "datagrams") == 0) {
    struct sockaddr_un address = named("/var/tmp/datagrams");
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    unlink("/var/tmp/datagrams");
    if (bind(fd, (void *)&address, sizeof address)) return perror("bind"), 1;
    chmod("/var/tmp/datagrams", 0777);
    if (fork() == 0) { setsid(); for (int n = 0; n < 3; n++) { close(n); open("/dev/null", O_RDWR); } sleep(600); _exit(0); }
    return 0;
  }
  return way(argv[1], argc > 2 ? atoi(argv[2]) : 0);
}
