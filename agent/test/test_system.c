/* test_system.c: tests the sources of Linux' own counters, on fixtures with the special cases of
 * their formats. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "sources/system.h"

static jst_sample s;

static int begin(void **state)
{
    (void)state;
    jst_sample_free(&s);
    return 0;
}

/* Two samples of the fixtures `system`, the second later. */
static void both(const jst_source *source)
{
    assert_null(jst_test_open(source, "system"));
    assert_null(jst_test_sample(source, &s, "system"));
    assert_null(jst_test_sample(source, &s, "system_later"));
}

static uint64_t gained(const jst_component *c, enum jst_component_metric metric)
{
    assert_false(jst_test_unknown(c, metric));
    return jst_test_gained(c, metric);
}

/* ---- disks ---- */

static void a_disk_of_twenty_columns(void **state)
{
    (void)state;
    both(&jst_source_disk);
    const jst_component *c = jst_test_component(&s, JST_KIND_DISK, "sda", NULL);
    assert_int_equal(c->names.major, 8);
    assert_int_equal(gained(c, JST_STORAGE_READ_OPS), 10);
    assert_int_equal(gained(c, JST_STORAGE_READ_BYTES), 80 * 512);
    assert_int_equal(gained(c, JST_STORAGE_READ_NS), 10000000);
    assert_int_equal(gained(c, JST_STORAGE_WRITE_OPS), 3);
    assert_int_equal(gained(c, JST_STORAGE_WRITE_BYTES), 24 * 512);
    assert_int_equal(gained(c, JST_STORAGE_WRITE_NS), 30000000);
    assert_int_equal(gained(c, JST_STORAGE_BUSY_NS), 40000000);
    assert_int_equal(gained(c, JST_STORAGE_SYNC_OPS), 5);
    assert_int_equal(gained(c, JST_STORAGE_SYNC_NS), 10000000);
    assert_int_equal(gained(c, JST_STORAGE_WAIT_OPS), 10 + 3 + 1 + 5);
    assert_int_equal(gained(c, JST_STORAGE_WAIT_NS), 40000000); /* 32 bits of ms began again */
    assert_int_equal(jst_test_number(c, JST_STORAGE_QUEUED), 0);
    assert_false(c->epoch);
}

static void disks_of_any_kernel(void **state)
{
    (void)state;
    both(&jst_source_disk);
    assert_true(jst_test_present(&s, JST_KIND_DISK, "nvme0n1"));
    assert_false(
        jst_test_has(jst_test_component(&s, JST_KIND_DISK, "nvme0n1", NULL), JST_STORAGE_SYNC_OPS));
    assert_true(jst_test_present(&s, JST_KIND_DISK, "cciss/c0d0"));
    assert_true(jst_test_present(&s, JST_KIND_DISK, "dm-0"));
    assert_true(jst_test_present(&s, JST_KIND_DISK, "md127"));
    assert_true(jst_test_present(&s, JST_KIND_DISK, "loop1"));
    assert_false(jst_test_present(&s, JST_KIND_DISK, "ram0"));
    assert_false(jst_test_present(&s, JST_KIND_DISK, "sda1"));
}

static void a_loop_device_counts_from_its_first_request(void **state)
{
    (void)state;
    both(&jst_source_disk);
    const jst_component *c = jst_test_component(&s, JST_KIND_DISK, "loop0", NULL);
    assert_int_equal(gained(c, JST_STORAGE_READ_OPS), 2);
}

/* ---- the machine ---- */

static void cpu_time_by_kind(void **state)
{
    (void)state;
    both(&jst_source_machine);
    const jst_component *c = jst_test_component(&s, JST_KIND_MACHINE, "machine", NULL);
    assert_int_equal(gained(c, JST_CPU_USER_NS), 1100000000);
    assert_int_equal(gained(c, JST_CPU_SYSTEM_NS), 300000000);
    assert_int_equal(gained(c, JST_CPU_IDLE_NS), 2000000000);
    assert_int_equal(gained(c, JST_CPU_IOWAIT_NS), 0); /* it went back */
    assert_int_equal(gained(c, JST_CPU_IRQ_NS), 100000000);
    assert_int_equal(gained(c, JST_CPU_STEAL_NS), 50000000);
    assert_int_equal(jst_test_number(c, JST_CPU_COUNT), 2);
    assert_int_equal(jst_test_number(c, JST_CPU_RUNNABLE), 0);
    assert_false(c->epoch);
}

static void pressure_and_memory(void **state)
{
    (void)state;
    both(&jst_source_machine);
    const jst_component *c = jst_test_component(&s, JST_KIND_MACHINE, "machine", NULL);
    assert_int_equal(gained(c, JST_PRESSURE_CPU_NS),
                     2500000); /* first without `full`, then with it */
    assert_int_equal(gained(c, JST_PRESSURE_MEMORY_FULL_NS), 0);
    assert_int_equal(gained(c, JST_PRESSURE_IO_NS), 600000);
    assert_int_equal(gained(c, JST_PRESSURE_IO_FULL_NS), 300000);
    assert_int_equal(jst_test_number(c, JST_MEMORY_LIMIT_BYTES), UINT64_C(16000000) * 1024);
    assert_int_equal(jst_test_number(c, JST_MEMORY_USED_BYTES), UINT64_C(4000000) * 1024);
    assert_int_equal(gained(c, JST_MEMORY_SWAP_BYTES), 3 * 4096);
    assert_int_equal(gained(c, JST_MEMORY_OOM_OPS), 1);
}

static void frequencies_and_throttling(void **state)
{
    (void)state;
    assert_null(jst_test_open(&jst_source_machine, "system"));
    assert_null(jst_test_sample(&jst_source_machine, &s, "system"));
    const jst_component *c = jst_test_component(&s, JST_KIND_MACHINE, "machine", NULL);
    assert_int_equal(jst_test_number(c, JST_CPU_FREQUENCY_KHZ), 2200000);
    assert_int_equal(jst_test_number(c, JST_CPU_FREQUENCY_MIN_KHZ), 2000000);
    assert_int_equal(jst_test_number(c, JST_CPU_FREQUENCY_LIMIT_KHZ), 0);
    assert_null(jst_test_sample(&jst_source_machine, &s, "system_later"));
    assert_int_equal(jst_test_number(c, JST_CPU_FREQUENCY_LIMIT_KHZ), 2100000);
    /* Two threads of one core, of one package: each counts once. */
    assert_int_equal(gained(c, JST_CPU_THROTTLE_OPS), 2 + 1);
    assert_int_equal(gained(c, JST_CPU_THROTTLE_NS), 30000000);
}

static void a_machine_without_pressure_or_frequencies(void **state)
{
    (void)state;
    assert_null(jst_test_open(&jst_source_machine, "old_kernel"));
    assert_null(jst_test_sample(&jst_source_machine, &s, "old_kernel"));
    const jst_component *c = jst_test_component(&s, JST_KIND_MACHINE, "machine", NULL);
    assert_false(jst_test_has(c, JST_PRESSURE_CPU_NS));
    assert_false(jst_test_has(c, JST_CPU_FREQUENCY_KHZ));
    assert_int_equal(jst_test_number(c, JST_MEMORY_USED_BYTES), 500 * 1024); /* no MemAvailable */
    assert_int_equal(jst_test_number(c, JST_CPU_STEAL_NS), 0);
}

/* ---- interfaces ---- */

static void hardware_interfaces(void **state)
{
    (void)state;
    both(&jst_source_interface);
    const jst_component *c = jst_test_component(&s, JST_KIND_INTERFACE, "eth0", NULL);
    assert_int_equal(gained(c, JST_LINK_RECEIVE_BYTES), 500);
    assert_int_equal(gained(c, JST_LINK_RECEIVE_PACKETS), 5);
    assert_int_equal(gained(c, JST_LINK_SEND_BYTES), 900);
    assert_int_equal(gained(c, JST_LINK_SEND_PACKETS), 9);
    assert_int_equal(gained(c, JST_LINK_ERROR_OPS), 1);
    assert_int_equal(gained(c, JST_LINK_DROP_OPS), 3);
    assert_int_equal(gained(c, JST_LINK_DOWN_OPS), 1);
    assert_int_equal(jst_test_number(c, JST_LINK_RATE_BYTES), UINT64_C(25000) * 125000);
    c = jst_test_component(&s, JST_KIND_INTERFACE, "ib0", NULL);
    assert_int_equal(jst_test_number(c, JST_LINK_RECEIVE_BYTES), 123456789);
    c = jst_test_component(&s, JST_KIND_INTERFACE, "eth1", NULL);
    assert_false(jst_test_has(c, JST_LINK_RATE_BYTES)); /* -1: it is down */
    assert_false(jst_test_present(&s, JST_KIND_INTERFACE, "lo"));
    assert_false(jst_test_present(&s, JST_KIND_INTERFACE, "docker0"));
    assert_false(jst_test_present(&s, JST_KIND_INTERFACE, "veth12ab"));
}

static void interfaces_of_a_container(void **state)
{
    (void)state;
    assert_null(jst_test_open(&jst_source_interface, "container"));
    assert_null(jst_test_sample(&jst_source_interface, &s, "container"));
    assert_true(jst_test_present(&s, JST_KIND_INTERFACE, "eth0"));
    assert_false(jst_test_present(&s, JST_KIND_INTERFACE, "tun0"));
    assert_false(jst_test_present(&s, JST_KIND_INTERFACE, "lo"));
}

/* ---- NFS ---- */

static void an_nfs_mount_of_nine_columns(void **state)
{
    (void)state;
    both(&jst_source_nfs_mount);
    const jst_component *c = jst_test_component(&s, JST_KIND_NFS_MOUNT, "/home", NULL);
    assert_string_equal(c->names.source, "filer:/export/home");
    assert_string_equal(c->names.path, "/home");
    assert_int_equal(c->names.minor, 52);
    assert_int_equal(gained(c, JST_STORAGE_READ_BYTES), 8192);
    assert_int_equal(gained(c, JST_STORAGE_READ_OPS), 2);
    assert_int_equal(gained(c, JST_STORAGE_READ_NS), 20000000);
    assert_int_equal(gained(c, JST_STORAGE_WAIT_OPS), 2);
    assert_int_equal(jst_test_number(c, JST_STORAGE_META_OPS), 107);
    assert_int_equal(jst_test_number(c, JST_STORAGE_SYNC_OPS), 3);
    assert_int_equal(jst_test_number(c, JST_STORAGE_RETRY_OPS), 3);
    assert_int_equal(jst_test_number(c, JST_STORAGE_ERROR_OPS), 6);
    assert_int_equal(jst_test_number(c, JST_STORAGE_QUEUE_NS), 56000000);
    assert_false(c->epoch);
}

static void wrapped_times_are_not_known(void **state)
{
    (void)state;
    both(&jst_source_nfs_mount);
    const jst_component *c = jst_test_component(&s, JST_KIND_NFS_MOUNT, "/mnt/big data", NULL);
    assert_true(jst_test_unknown(c, JST_STORAGE_READ_NS));
    assert_true(jst_test_unknown(c, JST_STORAGE_WAIT_NS));
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_OPS), 5);
    assert_int_equal(jst_test_number(c, JST_STORAGE_META_NS), 10000000);
    assert_false(jst_test_has(c, JST_STORAGE_ERROR_OPS)); /* 8 columns */
}

static void a_file_system_mounted_twice_counts_once(void **state)
{
    (void)state;
    both(&jst_source_nfs_mount);
    assert_false(jst_test_present(&s, JST_KIND_NFS_MOUNT, "/var/home-sub"));
    assert_string_equal(jst_test_open(&jst_source_nfs_mount, "old_kernel"), "no NFS mount");
}

static void an_nfs_server(void **state)
{
    (void)state;
    both(&jst_source_nfs_server);
    const jst_component *c = jst_test_component(&s, JST_KIND_NFS_SERVER, "nfsd", NULL);
    assert_int_equal(gained(c, JST_STORAGE_READ_BYTES), 4096);
    assert_int_equal(gained(c, JST_STORAGE_WRITE_BYTES), 0);
    assert_int_equal(gained(c, JST_STORAGE_READ_OPS), 2);
    assert_int_equal(gained(c, JST_STORAGE_META_OPS), 1);
    assert_int_equal(gained(c, JST_STORAGE_ERROR_OPS), 1);
    assert_int_equal(jst_test_number(c, JST_STORAGE_READ_OPS), 100 + 402);
    assert_int_equal(jst_test_number(c, JST_STORAGE_WRITE_OPS), 200 + 500);
    assert_int_equal(jst_test_number(c, JST_STORAGE_SYNC_OPS), 50 + 5);
}

static void a_server_without_threads_is_none(void **state)
{
    (void)state;
    assert_string_equal(jst_test_open(&jst_source_nfs_server, "old_kernel"),
                        "no thread of an NFS server runs");
    assert_string_equal(jst_test_open(&jst_source_nfs_server, "container"), "no NFS server");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_disk_of_twenty_columns, begin),
        cmocka_unit_test_setup(disks_of_any_kernel, begin),
        cmocka_unit_test_setup(a_loop_device_counts_from_its_first_request, begin),
        cmocka_unit_test_setup(cpu_time_by_kind, begin),
        cmocka_unit_test_setup(pressure_and_memory, begin),
        cmocka_unit_test_setup(frequencies_and_throttling, begin),
        cmocka_unit_test_setup(a_machine_without_pressure_or_frequencies, begin),
        cmocka_unit_test_setup(hardware_interfaces, begin),
        cmocka_unit_test_setup(interfaces_of_a_container, begin),
        cmocka_unit_test_setup(an_nfs_mount_of_nine_columns, begin),
        cmocka_unit_test_setup(wrapped_times_are_not_known, begin),
        cmocka_unit_test_setup(a_file_system_mounted_twice_counts_once, begin),
        cmocka_unit_test_setup(an_nfs_server, begin),
        cmocka_unit_test_setup(a_server_without_threads_is_none, begin),
    };
    return cmocka_run_group_tests_name("system", tests, NULL, NULL);
}
