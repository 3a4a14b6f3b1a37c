/* credential.c: a token from a file, or a MUNGE credential over the hash of the body. */
#include "connection/credential.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if JST_WITH_MUNGE
#include <munge.h>
#include <openssl/evp.h>
#endif

static char wrong[400];

const char *jst_credential_check(const jst_ship_settings *s)
{
#if !JST_WITH_MUNGE
    if (s->munge)
        return "munge = on, but this build has no MUNGE. Fix: install libmunge-dev and libssl-dev "
               "and "
               "build again, or set token_file";
#else
    (void)s;
#endif
    return NULL;
}

static const char *bearer(const char *path, char *to)
{
    char token[2048];
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0) {
        snprintf(wrong, sizeof wrong, "the token %s cannot be read: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return wrong;
    }
    ssize_t n = read(fd, token, sizeof token);
    close(fd);
    if (!S_ISREG(st.st_mode) || (st.st_mode & 077) || (st.st_uid != 0 && st.st_uid != geteuid())) {
        snprintf(wrong, sizeof wrong,
                 "the token %s is not safe: others may read or change it. Fix: "
                 "chmod 600 %s",
                 path, path);
        return wrong;
    }
    while (n > 0 && (token[n - 1] == '\n' || token[n - 1] == '\r'))
        n--;
    bool fine = n > 0 && n < (ssize_t)sizeof token;
    for (ssize_t i = 0; i < n; i++)
        fine = fine && token[i] > ' ' && token[i] < 0x7f;
    if (!fine) {
        snprintf(wrong, sizeof wrong, "%s holds no token: one line of printable characters", path);
        return wrong;
    }
    snprintf(to, JST_CREDENTIAL_MOST, "Authorization: Bearer %.*s", (int)n, token);
    return NULL;
}

#if JST_WITH_MUNGE
static const char *munged(const jst_ship_settings *s, int64_t time_ns, const uint8_t *body,
                          size_t n, char *to)
{
    unsigned char digest[32];
    char payload[256], hex[65];
    unsigned length = 0;
    if (EVP_Digest(body, n, digest, &length, EVP_sha256(), NULL) != 1)
        return "SHA-256 failed";
    for (unsigned i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    snprintf(payload, sizeof payload, "%s\n%lld\n%s", s->node, (long long)time_ns, hex);
    char *credential = NULL;
    munge_ctx_t context = munge_ctx_create();
    if (*s->munge_socket)
        munge_ctx_set(context, MUNGE_OPT_SOCKET, s->munge_socket);
    munge_err_t error = munge_encode(&credential, context, payload, (int)strlen(payload));
    if (error == EMUNGE_SUCCESS)
        snprintf(to, JST_CREDENTIAL_MOST, "Authorization: Munge %s", credential);
    else
        snprintf(wrong, sizeof wrong, "no MUNGE credential: %s. Fix: is munged running?",
                 munge_strerror(error));
    free(credential);
    munge_ctx_destroy(context);
    return error == EMUNGE_SUCCESS ? NULL : wrong;
}
#endif

const char *jst_credential(const jst_ship_settings *s, int64_t time_ns, const uint8_t *body,
                           size_t n, char *to)
{
    *to = 0;
    if (*s->token_file)
        return bearer(s->token_file, to);
#if JST_WITH_MUNGE
    if (s->munge)
        return munged(s, time_ns, body, n, to);
#endif
    (void)time_ns;
    (void)body;
    (void)n;
    return NULL;
}
