//! Values made when they are first asked for.

use std::sync::OnceLock;

/// The value of a cell, made if there is none yet. Not under the cell's lock: what makes it may use all threads, and one that
/// waits for the others may come here again, for the same cell. Then both make it, and the first one is kept.
pub fn get_or_make<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(value) = cell.get() {
        return value;
    }
    let value = make();
    cell.get_or_init(|| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_may_be_asked_for_while_it_is_made() {
        let cell = OnceLock::new();
        let made = get_or_make(&cell, || *get_or_make(&cell, || 1) + 1);
        assert_eq!((*made, *get_or_make(&cell, || 9)), (1, 1));
    }
}
