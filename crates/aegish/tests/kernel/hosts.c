// A server outside the session, and clients of its proxy.
//
// hosts serve ADDRESS PORT        answers each connection with what it was sent, behind the word "reached"
// hosts direct ADDRESS PORT       connects by itself
// hosts tunnel HOST PORT [NAME]   asks the proxy for a connection, and sends the first message of TLS for NAME
// hosts raw HOST PORT TEXT        asks the proxy for a connection, and sends this text
// hosts get URL HOST              asks the proxy for a page, with this host in the header
// hosts twice URL HOST            and for a second one of that host over the same connection
#include <arpa/inet.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct sockaddr_in at(const char *address, const char *port) {
  struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
  inet_pton(AF_INET, address, &in.sin_addr);
  return in;
}

static int serve(const char *address, const char *port) {
  int one = 1, server = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in in = at(address, port);
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (bind(server, (void *)&in, sizeof in) || listen(server, 64)) return perror("serve"), 1;
  if (fork()) return 0;
  for (;;) {
    int client = accept(server, NULL, NULL);
    struct timeval wait = {0, 300000};
    char text[4096];
    ssize_t n, size = 0;
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    while (size < 4000 && (n = read(client, text + size, 4000 - size)) > 0) size += n;
    dprintf(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nreached\n");
    write(client, text, size);
    close(client);
  }
}

static int to_proxy(void) {
  char *url = getenv("https_proxy"), address[64];
  int port;
  if (!url || sscanf(url, "http://%63[^:]:%d", address, &port) != 2) exit((puts("no proxy"), 1));
  char number[8];
  sprintf(number, "%d", port);
  struct sockaddr_in in = at(address, number);
  int proxy = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(proxy, (void *)&in, sizeof in)) exit((perror("proxy"), 1));
  return proxy;
}

static int show(int from) {
  char text[4096];
  ssize_t n;
  while ((n = read(from, text, sizeof text)) > 0) fwrite(text, 1, n, stdout);
  return 0;
}

static void ask(int proxy, const char *host, const char *port) {
  dprintf(proxy, "CONNECT %s:%s HTTP/1.1\r\nHost: %s\r\n\r\n", host, port, host);
  char text[4096];
  ssize_t n, size = 0;
  while ((n = read(proxy, text + size, 1)) == 1 && size < 4000)
    if (text[size++] == '\n' && size > 3 && text[size - 3] == '\n') break;
  fwrite(text, 1, size, stdout);
  if (!strstr(text, " 200 ")) exit(show(proxy));
}

static void put(unsigned char **to, unsigned value, int size) {
  while (size--) *(*to)++ = value >> (8 * size);
}

static void hello(int proxy, const char *name) {
  unsigned char all[1024], *p = all;
  unsigned length = strlen(name), extensions = length ? length + 9 : 0, body = 43 + extensions;
  put(&p, 0x16, 1), put(&p, 0x0301, 2), put(&p, body + 4, 2);
  put(&p, 1, 1), put(&p, body, 3), put(&p, 0x0303, 2);
  memset(p, 7, 32), p += 32;
  put(&p, 0, 1), put(&p, 2, 2), put(&p, 0x1301, 2), put(&p, 1, 1), put(&p, 0, 1), put(&p, extensions, 2);
  if (length) {
    put(&p, 0, 2), put(&p, length + 5, 2), put(&p, length + 3, 2), put(&p, 0, 1), put(&p, length, 2);
    memcpy(p, name, length), p += length;
  }
  // In two pieces, as a network would.
  write(proxy, all, 9);
  usleep(20000);
  write(proxy, all + 9, p - all - 9);
}

int main(int count, char **words) {
  signal(SIGPIPE, SIG_IGN);
  if (count < 4) return 2;
  if (!strcmp(words[1], "serve")) return serve(words[2], words[3]);
  if (!strcmp(words[1], "direct")) {
    struct sockaddr_in in = at(words[2], words[3]);
    int one = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(one, (void *)&in, sizeof in)) return perror("direct"), 1;
    dprintf(one, "x");
    return show(one);
  }
  int proxy = to_proxy();
  if (!strcmp(words[1], "tunnel")) {
    ask(proxy, words[2], words[3]);
    hello(proxy, count > 4 ? words[4] : "");
  } else if (!strcmp(words[1], "raw")) {
    ask(proxy, words[2], words[3]);
    dprintf(proxy, "%s", words[4]);
  } else {
    int twice = !strcmp(words[1], "twice");
    dprintf(proxy, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 2\r\n\r\nab", words[2], words[3]);
    if (twice) dprintf(proxy, "GET / HTTP/1.1\r\nHost: %s\r\nX: second\r\n\r\n", words[3]);
  }
  return show(proxy);
}
