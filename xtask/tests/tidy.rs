//! The rules of the house hold in this checkout.

use assert_cmd::Command;

#[test]
fn the_checkout_is_tidy() {
    Command::new(env!("CARGO_BIN_EXE_xtask")).arg("tidy").assert().success();
}
