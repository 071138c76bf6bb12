// Tests of base/digest. Vectors: FIPS 180-4 examples (NIST), RFC 1321 appendix A.5.
#include "base/digest.hpp"

#include "base/atomic_file.hpp"
#include "support/temp_dir.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using chm::ErrorKind;
using chm::Hasher;
using chm::Md5;
using chm::Sha256;

TEST_CASE("digest: SHA-256 examples of FIPS 180-4") {
    CHECK(chm::sha256("").hex() ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(chm::sha256("abc").hex() ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(chm::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(chm::sha256(std::string(1'000'000, 'a')).hex() ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("digest: MD5 examples of RFC 1321") {
    CHECK(chm::md5("").hex() == "d41d8cd98f00b204e9800998ecf8427e");
    CHECK(chm::md5("abc").hex() == "900150983cd24fb0d6963f7d28e17f72");
    CHECK(chm::md5("message digest").hex() == "f96b697d7cb7938d525a2f31aaf161d0");
}

TEST_CASE("digest: pieces give the digest of the whole and finish starts anew") {
    Hasher<Sha256> hasher;
    hasher.update("a");
    hasher.update("");
    hasher.update("bc");
    Hasher<Sha256> moved = std::move(hasher);
    CHECK(moved.finish() == chm::sha256("abc"));
    CHECK(moved.finish() == chm::sha256(""));
    moved.update("abc");
    CHECK(moved.finish() == chm::sha256("abc"));
}

TEST_CASE("digest: hex is read in either case and nothing else is read") {
    const Md5 digest = chm::md5("abc");
    CHECK(Md5::from_hex("900150983cd24fb0d6963f7d28e17f72").value() == digest);
    CHECK(Md5::from_hex("900150983CD24FB0D6963F7D28E17F72").value() == digest);
    for (const char* text : {"",
                             "900150983cd24fb0d6963f7d28e17f7",
                             "900150983cd24fb0d6963f7d28e17f722",
                             "900150983cd24fb0d6963f7d28e17f7g",
                             " 900150983cd24fb0d6963f7d28e17f7",
                             "0x0150983cd24fb0d6963f7d28e17f72"}) {
        const auto result = Md5::from_hex(text);
        REQUIRE_FALSE(result);
        CHECK(result.error().kind == ErrorKind::parse);
    }
    CHECK(Sha256::from_hex("ab\n").error().message == "expected 64 hex digits, got 'ab\\x0a'");
}

TEST_CASE("digest: of a file") {
    const chm::test::TempDir dir;
    const std::string text(600'000, 'x');  // more than two reads
    REQUIRE(chm::write_file_atomically(dir / "f", text));
    CHECK(chm::sha256_of_file(dir / "f").value() == chm::sha256(text));
    const auto missing = chm::sha256_of_file(dir / "gone");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().kind == ErrorKind::not_found);
    CHECK(chm::sha256_of_file(dir.path()).error().kind == ErrorKind::io);
}
