//! What `tests/detection.md` names exists.

use std::path::Path;

/// By letter, how many requirements there are.
const PLANNED: &str = "M7 S4 P6 B5 C5 R4 A6 T5 L3 G9 U6";

fn read_all(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, text);
        } else if path.extension().is_some_and(|own| own == "rs") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_requirement_on_detection_names_tests_and_rows_that_there_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut source, mut benches) = (String::new(), String::new());
    read_all(&root.join("src"), &mut source);
    read_all(&root.join("tests"), &mut source);
    read_all(&root.join("src/cli/bench"), &mut benches);
    let table = std::fs::read_to_string(root.join("tests/detection.md")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix("|"));
    let rows: Vec<Vec<&str>> =
        rows.map(|line| line.split(" | ").collect()).filter(|row: &Vec<&str>| row.len() == 3).collect();
    let ids: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let of_letter = |own: &str| {
        let (letter, count) = own.split_at(1);
        (1..=count.parse::<usize>().unwrap()).map(|number| format!("{letter}{number}")).collect::<Vec<_>>()
    };
    let planned: Vec<String> = PLANNED.split(' ').flat_map(of_letter).collect();
    assert_eq!(ids, planned);
    for row in &rows {
        let named: Vec<&str> = row[2].split('`').skip(1).step_by(2).collect();
        assert_eq!(named.is_empty(), row[1].starts_with("Not done"), "{row:?}");
        for name in named {
            let is_test = source.contains(&format!("#[test]\n    fn {name}()"))
                || source.contains(&format!("#[test]\nfn {name}()"));
            assert!(is_test || benches.contains(name), "{}: there is no test or row “{name}”", row[0]);
        }
    }
}
