//! Result table as an Apache Parquet file: required text columns, optional numeric columns, one row group.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::Row;
use base::{Result, UserError};

/// Name and accessor of a text column.
type TextColumn<'a> = (&'static str, fn(&'a Row<'a>) -> &'a str);
/// Name and accessor of a numeric column.
type NumberColumn<'a> = (&'static str, fn(&'a Row<'a>) -> Option<f64>);

/// The rows as the bytes of a Parquet file.
pub fn of<'a>(rows: &'a [Row<'a>]) -> Result<Vec<u8>> {
    encode(rows).map_err(|e| UserError::internal(format!("The Parquet table cannot be written: {e}.")))
}

fn encode<'a>(rows: &'a [Row<'a>]) -> std::result::Result<Vec<u8>, ParquetError> {
    let texts: [TextColumn<'a>; 8] = [
        ("part", |row| row.part),
        ("part_verdict", |row| row.part_verdict),
        ("element", |row| row.element),
        ("kind", |row| row.kind),
        ("verdict", |row| row.verdict),
        ("figure", |row| row.figure),
        ("unit", |row| row.unit),
        ("sentence", |row| row.sentence),
    ];
    let numbers: [NumberColumn<'a>; 4] = [
        ("value", |row| row.value),
        ("uncertainty", |row| row.uncertainty),
        ("lower", |row| row.lower),
        ("upper", |row| row.upper),
    ];
    let mut fields = Vec::new();
    for (name, _) in &texts {
        let text =
            Type::primitive_type_builder(name, Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String));
        fields.push(Arc::new(text.with_repetition(Repetition::REQUIRED).build()?));
    }
    for (name, _) in &numbers {
        let number = Type::primitive_type_builder(name, Physical::DOUBLE).with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(number.build()?));
    }
    let schema = Arc::new(Type::group_type_builder("parts").with_fields(fields).build()?);
    let software = base::software::name();
    let properties = Arc::new(WriterProperties::builder().set_created_by(software).build());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    let mut group = writer.next_row_group()?;
    for (_, text) in texts {
        let values: Vec<ByteArray> = rows.iter().map(|row| text(row).into()).collect();
        write_column::<ByteArrayType>(&mut group, &values, None)?;
    }
    for (_, number) in numbers {
        let values: Vec<f64> = rows.iter().filter_map(number).collect();
        let definition_levels: Vec<i16> = rows.iter().map(|row| i16::from(number(row).is_some())).collect();
        write_column::<DoubleType>(&mut group, &values, Some(&definition_levels))?;
    }
    group.close()?;
    writer.into_inner()
}

/// Writes the next column of a row group; `definition_levels` are 1 where an optional value exists, else 0.
fn write_column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    definition_levels: Option<&[i16]>,
) -> std::result::Result<(), ParquetError> {
    let missing = || ParquetError::General("a column is missing".to_owned());
    let mut column = group.next_column()?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(values, definition_levels, None)?;
    column.close()
}
