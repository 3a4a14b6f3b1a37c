/* test_fabric.c: tests ports of InfiniBand, Omni-Path, EFA and Slingshot. */
#include "tree.h"

#include "../src/sources/devices/ports.h"
#include "../src/sources/devices/slingshot.h"
#include "../src/sources/hardware.h"
#include "../src/sources/system.h"

static jst_sample s;

static int end(void **state)
{
    (void)state;
    jst_sample_free(&s);
    tree_end();
    return 0;
}

static int begin_fabric(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/fabric.tree");
    return 0;
}

static int begin_slingshot(void **state)
{
    (void)state;
    tree_begin_with(JST_FIXTURES "/slingshot.tree");
    return 0;
}

static const jst_component *port(const char *name)
{
    return tree_find(&s, JST_KIND_PORT, name, "");
}

static void take(const jst_source *source)
{
    assert_null(tree_more(source, &s));
}

static void states_and_rates(void **state)
{
    (void)state;
    assert_true(jst_port_is_active("4: ACTIVE\n"));
    assert_true(jst_port_is_active("5: ACTIVE_DEFER\n"));
    assert_false(jst_port_is_active("1: DOWN\n"));
    assert_false(jst_port_is_active("2: INIT\n"));
    assert_false(jst_port_is_active("0: INACTIVE\n"));
    assert_false(jst_port_is_active("inactive\n"));
    assert_false(jst_port_is_active(""));
    assert_int_equal(jst_port_rate("40 Gb/sec (4X QDR)\n"), 4000000000); /* 8 of 10 bits are data */
    assert_int_equal(jst_port_rate("2.5 Gb/sec (1X SDR)\n"), 250000000);
    assert_int_equal(jst_port_rate("200 Gb/sec (4X HDR)\n"), 25000000000);
    assert_int_equal(jst_port_rate("14 Gb/sec (1X FDR)\n"), 1750000000);
    assert_int_equal(jst_port_rate("-40 Gb/sec\n"), 0);
    assert_int_equal(jst_port_rate("nan Gb/sec\n"), 0);
    assert_int_equal(jst_port_rate("unknown"), 0);
}

static void numbers(void **state)
{
    (void)state;
    uint64_t n;
    assert_int_equal(jst_port_number("4294967294\n", 32, &n), JST_THERE);
    assert_int_equal(jst_port_number("4294967295\n", 32, &n), JST_BAD);
    assert_int_equal(jst_port_number("4294967296\n", 32, &n), JST_THERE); /* a card of 64 bits */
    assert_int_equal(jst_port_number("18446744073709551615\n", 64, &n), JST_BAD);
    assert_int_equal(jst_port_number("18446744073709551616\n", 64, &n), JST_BAD);
    assert_int_equal(jst_port_number("N/A (no PMA)\n", 32, &n), JST_BAD);
    assert_int_equal(jst_port_number("12 apples\n", 32, &n), JST_BAD);
    assert_int_equal(jst_port_number("", 32, &n), JST_BAD);
    assert_int_equal(jst_telemetry_number("103060429480@1743569213.088677609\n", &n), JST_THERE);
    assert_int_equal(n, 103060429480);
    assert_int_equal(jst_telemetry_number("72057594037927936@1.0\n", &n), JST_BAD); /* 57 bits */
    assert_int_equal(jst_telemetry_number("@1.0\n", &n), JST_BAD);
    assert_int_equal(jst_telemetry_speed("BS_200G\n"), 25000000000);
    assert_int_equal(jst_telemetry_speed("unknown\n"), 0);
}

static void infiniband_ports(void **state)
{
    (void)state;
    assert_null(jst_source_fabric.open());
    take(&jst_source_fabric);
    const jst_component *c = port("mlx5_0/1");
    assert_non_null(c);
    assert_string_equal(c->names.source, "infiniband");
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_BYTES), 20000000000); /* words of 4 bytes */
    assert_int_equal(jst_test_number(c, JST_LINK_RECEIVE_BYTES), 28000000004);
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_PACKETS), 812345);
    assert_true(jst_test_unknown(c, JST_LINK_WAIT_TICKS)); /* saturates at 32 bits */
    assert_int_equal(jst_test_number(c, JST_LINK_ERROR_OPS), 5);
    assert_true(jst_test_unknown(c, JST_LINK_DROP_OPS));
    assert_int_equal(jst_test_number(c, JST_LINK_RETRY_OPS), 9);
    assert_int_equal(jst_test_number(c, JST_LINK_DOWN_OPS), 1);
    assert_int_equal(jst_test_number(c, JST_LINK_RATE_BYTES), 25000000000);
    c = port("mlx4_0/1"); /* an old kernel */
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_BYTES), UINT64_C(4) * 8589934592);
    assert_int_equal(jst_test_number(c, JST_LINK_RECEIVE_PACKETS), 22);
    assert_int_equal(jst_test_number(c, JST_LINK_WAIT_TICKS), 77);
    assert_true(jst_test_unknown(c, JST_LINK_ERROR_OPS));
    assert_true(jst_test_unknown(c, JST_LINK_DOWN_OPS));
    c = port("qib0/1");
    assert_true(jst_test_unknown(c, JST_LINK_SEND_BYTES) &&
                jst_test_unknown(c, JST_LINK_RECEIVE_BYTES));
    c = port("odd0/1");
    assert_true(jst_test_unknown(c, JST_LINK_SEND_BYTES));
    assert_false(jst_test_has(c, JST_LINK_WAIT_TICKS) || jst_test_unknown(c, JST_LINK_WAIT_TICKS));
    assert_null(port("mlx4_0/2"));   /* never active */
    assert_null(port("rocep1s0/1")); /* Ethernet */
    assert_int_equal(tree_named(&s), 6);
}

static void other_fabrics(void **state)
{
    (void)state;
    assert_null(jst_source_fabric.open());
    take(&jst_source_fabric);
    const jst_component *c = port("opa7/1");
    assert_string_equal(c->names.source, "omnipath");
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_BYTES), 2400000000000);
    assert_int_equal(jst_test_number(c, JST_LINK_RECEIVE_PACKETS), 9000);
    assert_int_equal(jst_test_number(c, JST_LINK_WAIT_TICKS), 123456);
    assert_int_equal(jst_test_number(c, JST_LINK_ERROR_OPS), 6);
    c = port("rdmap0s6/1");
    assert_string_equal(c->names.source, "efa");
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_BYTES), 1000001);
    assert_int_equal(jst_test_number(c, JST_LINK_ERROR_OPS), 3);
    assert_int_equal(jst_test_number(c, JST_LINK_DROP_OPS), 5);
    assert_int_equal(jst_test_number(c, JST_LINK_RETRY_OPS), 6);
}

#define MLX5 "/sys/class/infiniband/mlx5_0/ports/1/"

static void a_port_that_fails(void **state)
{
    (void)state;
    assert_null(jst_source_fabric.open());
    take(&jst_source_fabric);
    assert_false(jst_test_unknown(port("mlx5_0/1"), JST_LINK_SEND_BYTES));
    tree_break(MLX5 "counters/port_xmit_data");
    take(&jst_source_fabric);
    assert_true(jst_test_unknown(port("mlx5_0/1"), JST_LINK_SEND_BYTES));
    assert_true(jst_test_has(port("mlx5_0/1"), JST_LINK_RECEIVE_BYTES));
    /* It goes down: it is kept, and its link transfers nothing. */
    tree_put_text(MLX5 "state", "1: DOWN\n");
    take(&jst_source_fabric);
    assert_int_equal(jst_test_number(port("mlx5_0/1"), JST_LINK_RATE_BYTES), 0);
    assert_int_equal(jst_test_number(port("mlx5_0/1"), JST_LINK_RECEIVE_BYTES), 28000000004);
    /* The card is removed. */
    tree_remove("/sys/class/infiniband/mlx5_0");
    take(&jst_source_fabric);
    assert_null(port("mlx5_0/1"));
}

static void only_ethernet(void **state)
{
    (void)state;
    static const char *const fabric_devices[] = {"mlx5_0", "mlx4_0", "qib0",
                                                 "odd0",   "opa7",   "rdmap0s6"};
    for (unsigned i = 0; i < sizeof fabric_devices / sizeof *fabric_devices; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/class/infiniband/%s", fabric_devices[i]);
        tree_remove(path);
    }
    assert_string_equal(jst_source_fabric.open(),
                        "no port of a fabric: rocep1s0/1 is Ethernet, see its interface");
    tree_remove("/sys");
    assert_string_equal(jst_source_fabric.open(), "no InfiniBand, Omni-Path or EFA");
}

static void slingshot_nics(void **state)
{
    (void)state;
    assert_null(jst_source_slingshot.open());
    take(&jst_source_slingshot);
    const jst_component *c = port("cxi0");
    assert_string_equal(c->names.source, "slingshot");
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_BYTES), 103060429480);
    assert_int_equal(jst_test_number(c, JST_LINK_RECEIVE_BYTES), (UINT64_C(1) << 56) - 1);
    assert_int_equal(jst_test_number(c, JST_LINK_SEND_PACKETS), 36);
    assert_int_equal(jst_test_number(c, JST_LINK_RECEIVE_PACKETS), 280);
    assert_int_equal(jst_test_number(c, JST_LINK_WAIT_TICKS), 1000);
    assert_int_equal(jst_test_number(c, JST_LINK_ERROR_OPS), 17);
    assert_int_equal(jst_test_number(c, JST_LINK_RETRY_OPS), 18);
    assert_false(jst_test_has(c, JST_LINK_DROP_OPS) ||
                 jst_test_unknown(c, JST_LINK_DROP_OPS)); /* no such file */
    assert_int_equal(jst_test_number(c, JST_LINK_RATE_BYTES), 25000000000);
    assert_true(jst_test_unknown(port("cxi1"), JST_LINK_RECEIVE_BYTES));
    /* One read that fails ends neither the device nor the source. */
    tree_break("/sys/class/cxi/cxi0/device/telemetry/hni_tx_paused_5");
    tree_put_text("/sys/class/cxi/cxi0/device/telemetry/hni_sts_rx_ok_octets", "9@1743569217.1\n");
    take(&jst_source_slingshot);
    assert_true(jst_test_unknown(port("cxi0"), JST_LINK_WAIT_TICKS));
    assert_int_equal(jst_test_number(port("cxi0"), JST_LINK_ERROR_OPS), 17);
    assert_int_equal(jst_test_gained(port("cxi0"), JST_LINK_RECEIVE_BYTES), 10); /* began again */
    assert_false(port("cxi0")->epoch);
    assert_int_equal(jst_test_number(port("cxi1"), JST_LINK_WAIT_TICKS), 1000);
    tree_remove("/sys");
    assert_string_equal(jst_source_slingshot.open(), "no Slingshot");
}

/* The NUMA nodes of adapters: a port, and an interface of a virtual machine, whose node is that of
 * its bridge. */
static void adapters_in_the_pci_tree(void **state)
{
    (void)state;
    tree_put_text("/sys/devices/pci0000:3a/0000:3a:00.0/0000:3c:00.0/numa_node", "1\n");
    tree_put_text("/sys/devices/pci0000:00/0000:00:03.0/numa_node", "0\n");
    tree_put_text("/sys/devices/pci0000:00/0000:00:03.0/virtio0/vendor", "0x1af4\n");
    tree_put_text("/sys/class/net/eth0/speed", "-1\n");
    tree_put_text("/proc/net/dev", "h\nh\n  eth0: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n");
    tree_remove("/sys/class/infiniband/mlx5_0/device");
    tree_run("ln -s ../../../devices/pci0000:3a/0000:3a:00.0/0000:3c:00.0 "
             "%s/sys/class/infiniband/mlx5_0/device",
             tree);
    tree_run("ln -s ../../../devices/pci0000:00/0000:00:03.0/virtio0 %s/sys/class/net/eth0/device",
             tree);
    assert_null(jst_source_fabric.open());
    take(&jst_source_fabric);
    assert_string_equal(port("mlx5_0/1")->names.path, "pci0000:3a/0000:3a:00.0/0000:3c:00.0");
    assert_int_equal(port("mlx5_0/1")->names.numa, 2);
    assert_string_equal(port("mlx4_0/1")->names.path, ""); /* not known */
    assert_int_equal(port("mlx4_0/1")->names.numa, 0);
    jst_sample_free(&s);
    assert_null(jst_source_interface.open());
    take(&jst_source_interface);
    const jst_component *c = tree_find(&s, JST_KIND_INTERFACE, "eth0", "");
    assert_string_equal(c->names.path, "pci0000:00/0000:00:03.0/virtio0");
    assert_int_equal(c->names.numa, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_and_rates),
        cmocka_unit_test(numbers),
        cmocka_unit_test_setup_teardown(infiniband_ports, begin_fabric, end),
        cmocka_unit_test_setup_teardown(other_fabrics, begin_fabric, end),
        cmocka_unit_test_setup_teardown(a_port_that_fails, begin_fabric, end),
        cmocka_unit_test_setup_teardown(only_ethernet, begin_fabric, end),
        cmocka_unit_test_setup_teardown(adapters_in_the_pci_tree, begin_fabric, end),
        cmocka_unit_test_setup_teardown(slingshot_nics, begin_slingshot, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
