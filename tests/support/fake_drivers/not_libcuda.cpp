// A library that loads, but is no CUDA driver.
extern "C" int chm_not_a_driver() {
    return 0;
}
