/* The account of Fortran programs: calls and bytes by the name of the class. */
#include "account.h"

void account_open(void);
void account_did(const char *name, long long ops, long long bytes);
void account_say(const char *key, const char *value);

void account_open(void)
{
    account_begin("TRUTH");
}

void account_did(const char *name, long long ops, long long bytes)
{
    for (int i = 0; i < ACCOUNT_COUNT; i++) {
        if (strcmp(account_names[i], name) == 0) {
            account_add(i, ops, bytes);
            return;
        }
    }
    MUST(!"a class of this name");
}
