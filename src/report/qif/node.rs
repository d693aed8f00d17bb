//! Elements of an XML document.

use quick_xml::Writer;
use quick_xml::events::BytesText;

/// An element with its attributes and its content.
#[derive(Clone, Debug)]
pub struct Node {
    name: String,
    attributes: Vec<(&'static str, String)>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Text(String),
    Nodes(Vec<Node>),
}

impl Node {
    /// An element that contains a text.
    pub fn text(name: impl Into<String>, text: impl ToString) -> Self {
        Self { name: name.into(), attributes: Vec::new(), content: Content::Text(printable(&text.to_string())) }
    }

    /// An element that contains a number.
    pub fn number(name: impl Into<String>, number: f64) -> Self {
        Self::text(name, decimal(number))
    }

    /// An element that contains others.
    pub fn of(name: impl Into<String>, nodes: Vec<Self>) -> Self {
        Self { name: name.into(), attributes: Vec::new(), content: Content::Nodes(nodes) }
    }

    /// An element that contains a list, and says of how many.
    pub fn list(name: impl Into<String>, nodes: Vec<Self>) -> Self {
        let count = nodes.len().to_string();
        Self::of(name, nodes).with("n", &count)
    }

    /// A user-defined attribute of an element, in a list `Attributes`.
    pub fn stated(name: &str, value: &str) -> Self {
        Self::of("AttributeStr", Vec::new()).with("name", name).with("value", value)
    }

    /// The element with another attribute.
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.push((name, printable(value)));
        self
    }

    /// The document with this element as its root.
    pub fn document(&self) -> std::io::Result<String> {
        let mut writer = Writer::new_with_indent(Vec::new(), b' ', 1);
        self.write(&mut writer)?;
        let text = String::from_utf8_lossy(&writer.into_inner()).into_owned();
        Ok(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}\n"))
    }

    fn write(&self, writer: &mut Writer<Vec<u8>>) -> std::io::Result<()> {
        let attributes = self.attributes.iter().map(|(name, value)| (*name, value.as_str()));
        let element = writer.create_element(self.name.as_str()).with_attributes(attributes);
        match &self.content {
            Content::Text(text) => element.write_text_content(BytesText::new(text))?,
            Content::Nodes(nodes) if nodes.is_empty() => element.write_empty()?,
            Content::Nodes(nodes) => {
                element.write_inner_content(|writer| nodes.iter().try_for_each(|node| node.write(writer)))?
            }
        };
        Ok(())
    }
}

/// A number as the schema takes it: without exponent, and with no more digits than its readers hold.
pub fn decimal(number: f64) -> String {
    let text = number.to_string();
    if text.len() <= 20 {
        return text;
    }
    let text = format!("{number:.18}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The text with a space for each letter that XML cannot hold.
fn printable(text: &str) -> String {
    let is_allowed = |letter: char| !letter.is_control() && !matches!(letter, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|letter| if is_allowed(letter) { letter } else { ' ' }).collect()
}
