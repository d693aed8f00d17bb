//! The compiled kernels and the parameter sizes declared in their PTX.

use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

use base::{Result, UserError};

/// PTX of all kernel files, in alphabetical order. None if what the program carries of them is damaged.
pub(super) static MODULES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let packed: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/kernels.deflate"));
    let mut text = String::new();
    let read = flate2::read::DeflateDecoder::new(packed).read_to_string(&mut text);
    if read.is_ok() { text.split('\0').map(str::to_owned).collect() } else { Vec::new() }
});

/// Signature of a kernel as declared in its PTX.
struct Signature<'a> {
    name: &'a str,
    /// Size of each parameter in bytes.
    parameters: Vec<usize>,
}

/// Signatures of all kernels in a PTX file.
fn signatures(ptx: &'static str) -> impl Iterator<Item = Signature<'static>> {
    ptx.split(".visible .entry ").skip(1).filter_map(|rest| {
        let (name, rest) = rest.split_once('(')?;
        let (parameters, _) = rest.split_once(')')?;
        let parameters = parameters.split(',').filter(|line| line.contains(".param")).filter_map(bytes_of).collect();
        Some(Signature { name, parameters })
    })
}

/// Size in bytes of a parameter such as `.param .u64 name` or `.param .align 8 .b8 name[104]`.
fn bytes_of(parameter: &str) -> Option<usize> {
    let bits_of_type = |word: &str| -> Option<usize> { word.strip_prefix('.')?.get(1..)?.parse().ok() };
    let count = parameter.split_once('[').and_then(|(_, rest)| rest.split_once(']')?.0.parse().ok()).unwrap_or(1);
    let bits = parameter.split_whitespace().filter_map(bits_of_type).next_back()?;
    Some(count * bits / 8)
}

/// Names of all kernels in a PTX file.
pub(super) fn names(ptx: &'static str) -> impl Iterator<Item = &'static str> {
    signatures(ptx).map(|kernel| kernel.name)
}

/// Returns an error unless number and sizes of the arguments match the parameters declared in the kernel's PTX. The
/// driver does not check them and would read out of bounds.
pub fn check_arguments(kernel: &str, arguments: &[&[u8]]) -> Result<()> {
    static PARAMETERS: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
        MODULES.iter().flat_map(|ptx| signatures(ptx)).map(|kernel| (kernel.name, kernel.parameters)).collect()
    });
    let declared = PARAMETERS.get(kernel);
    let declared = declared.ok_or_else(|| UserError::internal(format!("There is no kernel named {kernel}.")))?;
    if arguments.iter().map(|argument| argument.len()).eq(declared.iter().copied()) {
        return Ok(());
    }
    let given: Vec<usize> = arguments.iter().map(|argument| argument.len()).collect();
    Err(UserError::internal(format!(
        "The kernel {kernel} takes arguments of {declared:?} bytes but was given {given:?}."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_has_kernels_and_names_are_unique() {
        let mut all: Vec<&str> = MODULES.iter().flat_map(|ptx| names(ptx)).collect();
        assert!(MODULES.iter().all(|ptx| names(ptx).count() > 0));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == count && all.contains(&"signed_closest") && all.contains(&"plane_moments"), "{all:?}");
    }

    #[test]
    fn arguments_that_differ_from_the_ptx_are_rejected() {
        assert_eq!(bytes_of("\n\t.param .align 8 .b8 kernel_param_0[104]"), Some(104));
        assert_eq!(bytes_of(".param .u64 kernel_param_1"), Some(8));
        assert_eq!(bytes_of(".param .f32 kernel_param_1"), Some(4));
        let kernel =
            MODULES.iter().flat_map(|ptx| signatures(ptx)).find(|kernel| kernel.name == "signed_closest").unwrap();
        assert!(!kernel.parameters.is_empty() && kernel.parameters.iter().all(|bytes| *bytes > 0));
        let arguments: Vec<Vec<u8>> = kernel.parameters.iter().map(|bytes| vec![0; *bytes]).collect();
        let mut arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        check_arguments("signed_closest", &arguments).unwrap();
        arguments[0] = &arguments[0][1..];
        assert!(check_arguments("signed_closest", &arguments).unwrap_err().sentence.contains("was given"));
        arguments.pop();
        assert!(check_arguments("signed_closest", &arguments).is_err());
        assert!(check_arguments("no_such", &[]).unwrap_err().sentence.contains("no kernel named"));
    }
}
