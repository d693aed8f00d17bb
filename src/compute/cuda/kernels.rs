//! The compiled kernels, and what their PTX says of their parameters.

use std::collections::HashMap;
use std::sync::LazyLock;

use base::{Result, UserError};

/// Compiled kernels by file; the list is made by kernels/make_ptx.py, too.
pub(super) const MODULES: &[&str] = &include!("../../../kernels/ptx/modules.rs");

/// A kernel as its PTX declares it.
struct Declared<'a> {
    name: &'a str,
    /// Bytes of each parameter.
    parameters: Vec<usize>,
}

/// The kernels that a file of PTX holds.
fn declared(ptx: &'static str) -> impl Iterator<Item = Declared<'static>> {
    ptx.split(".visible .entry ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let parameters = parameters.split(',').filter(|own| own.contains(".param")).filter_map(bytes_of).collect();
        Some(Declared { name, parameters })
    })
}

/// Of `.param .u64 name` or `.param .align 8 .b8 name[104]`.
fn bytes_of(parameter: &str) -> Option<usize> {
    let of_type = |word: &str| -> Option<usize> { word.strip_prefix('.')?.get(1..)?.parse().ok() };
    let count = parameter.split_once('[').and_then(|(_, rest)| rest.split_once(']')?.0.parse().ok()).unwrap_or(1);
    let bits = parameter.split_whitespace().filter_map(of_type).next_back()?;
    Some(count * bits / 8)
}

/// The names of the kernels that a file of PTX holds.
pub(super) fn names(ptx: &'static str) -> impl Iterator<Item = &'static str> {
    declared(ptx).map(|own| own.name)
}

/// Refuses a launch whose arguments are not as many, or not as long, as the kernel's PTX declares its parameters: the
/// driver would read beyond them without a word.
pub fn check_arguments(kernel: &str, arguments: &[&[u8]]) -> Result<()> {
    static PARAMETERS: LazyLock<HashMap<&'static str, Vec<usize>>> =
        LazyLock::new(|| MODULES.iter().flat_map(|ptx| declared(ptx)).map(|own| (own.name, own.parameters)).collect());
    let declared = PARAMETERS.get(kernel);
    let declared = declared.ok_or_else(|| UserError::internal(format!("There is no kernel named {kernel}.")))?;
    if arguments.iter().map(|own| own.len()).eq(declared.iter().copied()) {
        return Ok(());
    }
    let given: Vec<usize> = arguments.iter().map(|own| own.len()).collect();
    Err(UserError::internal(format!(
        "The kernel {kernel} takes arguments of {declared:?} bytes, and was given {given:?}."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_holds_kernels_and_no_name_comes_twice() {
        let mut all: Vec<&str> = MODULES.iter().flat_map(|ptx| names(ptx)).collect();
        assert!(MODULES.iter().all(|ptx| names(ptx).count() > 0));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == count && all.contains(&"signed_closest") && all.contains(&"plane_moments"), "{all:?}");
    }

    #[test]
    fn a_launch_with_other_arguments_than_the_ptx_declares_is_refused() {
        assert_eq!(bytes_of("\n\t.param .align 8 .b8 kernel_param_0[104]"), Some(104));
        assert_eq!(bytes_of(".param .u64 kernel_param_1"), Some(8));
        assert_eq!(bytes_of(".param .f32 kernel_param_1"), Some(4));
        let declared = MODULES.iter().flat_map(|ptx| declared(ptx)).find(|own| own.name == "signed_closest").unwrap();
        assert!(!declared.parameters.is_empty() && declared.parameters.iter().all(|bytes| *bytes > 0));
        let arguments: Vec<Vec<u8>> = declared.parameters.iter().map(|bytes| vec![0; *bytes]).collect();
        let mut arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        check_arguments("signed_closest", &arguments).unwrap();
        arguments[0] = &arguments[0][1..];
        assert!(check_arguments("signed_closest", &arguments).unwrap_err().sentence.contains("was given"));
        arguments.pop();
        assert!(check_arguments("signed_closest", &arguments).is_err());
        assert!(check_arguments("no_such", &[]).unwrap_err().sentence.contains("no kernel named"));
    }
}
