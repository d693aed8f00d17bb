use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::*;
use session::series::ElementRecord;

fn record(part: &str, value: Option<f64>) -> PartRecord {
    let figure = FigureRecord {
        name: "Distance".into(),
        unit: "mm".into(),
        value,
        uncertainty: Some(0.01),
        lower: Some(9.9),
        upper: Some(10.1),
    };
    let measured = ElementRecord {
        id: 7,
        name: "Height, \"front\"".into(),
        kind: "Measure".into(),
        is_check: true,
        verdict: Some(Verdict::Pass),
        sentence: "10 mm".into(),
        is_made: true,
        figures: vec![figure],
    };
    let failed = ElementRecord {
        id: 8,
        name: "Bore".into(),
        verdict: None,
        is_made: false,
        sentence: "This scan has none of its points.".into(),
        figures: Vec::new(),
        ..measured.clone()
    };
    PartRecord {
        schema: PartRecord::SCHEMA.into(),
        software: "1".into(),
        device: "CPU".into(),
        plan: "0".into(),
        presentation: String::new(),
        part: part.into(),
        sources: Vec::new(),
        verdict: Some(Verdict::Pass),
        headline: "PASS".into(),
        error: None,
        seconds: 1.0,
        elements: vec![measured, failed],
    }
}

#[test]
fn the_tables_contain_every_value_and_every_failure() {
    let mut unreadable = record("c", None);
    (unreadable.elements, unreadable.error, unreadable.verdict) =
        (Vec::new(), Some("no such file".into()), Some(Verdict::Incomplete));
    let records = [record("a", Some(10.0)), record("b", Some(10.2)), unreadable];
    let folder = tempfile::tempdir().unwrap();
    write_tables(folder.path(), &records).unwrap();

    let mut reader = csv::Reader::from_path(folder.path().join("parts.csv")).unwrap();
    let table: Vec<csv::StringRecord> = reader.records().map(|record| record.unwrap()).collect();
    assert_eq!(table.len(), 7, "the part, its value and its failed element, for two parts, and one unreadable part");
    assert_eq!(&table[1][2], "Height, \"front\"");
    assert_eq!((&table[4][6], &table[4][10]), ("10.2", "10.1"));
    assert_eq!((&table[6][4], &table[6][11]), ("incomplete", "no such file"));

    let file = std::fs::File::open(folder.path().join("parts.parquet")).unwrap();
    let parquet = SerializedFileReader::new(file).unwrap();
    let names: Vec<String> =
        parquet.metadata().file_metadata().schema().get_fields().iter().map(|field| field.name().to_owned()).collect();
    let column_of = |name: &str| names.iter().position(|column| column == name).unwrap();
    let rows: Vec<_> = parquet.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), table.len());
    for (row, line) in rows.iter().zip(&table) {
        for (column, name) in [(0, "part"), (2, "element"), (5, "figure"), (11, "sentence")] {
            assert_eq!(row.get_string(column_of(name)).unwrap(), &line[column]);
        }
        let value = row.get_double(column_of("value")).ok();
        assert_eq!(value, line[6].parse().ok());
    }

    let trends = trends(&records);
    assert_eq!((trends.len(), trends[0].beyond, trends[0].over_parts.count), (1, 1, 2));
    assert_eq!((trends[0].over_parts.pp, trends[0].over_parts.ppk), (None, None), "two parts are too few");
    let mut reader = csv::Reader::from_path(folder.path().join("statistics.csv")).unwrap();
    assert_eq!(reader.headers().unwrap().len(), reader.records().next().unwrap().unwrap().len());
}

/// With a value in doubt at each limit, one beyond, missing ones, and one-sided limits.
#[test]
fn trends_agree_with_figures_computed_apart() {
    let mut random = base::random::Random::new(59, 6);
    let values: Vec<Option<f64>> = (0..60)
        .map(|part| match part {
            7 => Some(9.905),
            19 => Some(10.1049),
            23 => Some(10.15),
            _ if part % 11 == 3 => None,
            _ => Some(10.0 + 0.02 * random.normal()),
        })
        .collect();
    let mut records: Vec<PartRecord> = values.iter().map(|value| record("p", *value)).collect();
    let known: Vec<f64> = values.into_iter().flatten().collect();
    let n = known.len() as f64;
    let mean = known.iter().sum::<f64>() / n;
    let sigma = (known.iter().map(|value| value * value).sum::<f64>() - n * mean * mean).max(0.0) / (n - 1.0);
    let sigma = sigma.sqrt();
    let [own] = trends(&records).try_into().unwrap();
    assert_eq!((own.over_parts.count, own.beyond, own.in_doubt), (known.len(), 1, 2));
    let near = |found: Option<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-6 * expected.abs());
    near(own.over_parts.sigma, sigma);
    near(own.over_parts.pp, 0.2 / (6.0 * sigma));
    near(own.over_parts.ppk, (10.1 - mean).min(mean - 9.9) / (3.0 * sigma));
    records.iter_mut().for_each(|record| record.elements[0].figures[0].upper = None);
    let [own] = trends(&records).try_into().unwrap();
    assert_eq!((own.over_parts.pp, own.beyond, own.in_doubt), (None, 0, 1));
    near(own.over_parts.ppk, (mean - 9.9) / (3.0 * sigma));
    records.iter_mut().for_each(|record| record.elements[0].figures[0].lower = None);
    let [own] = trends(&records).try_into().unwrap();
    assert_eq!((own.over_parts.ppk, own.in_doubt), (None, 0));
}
