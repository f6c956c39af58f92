// The two text conversions for which JSONata and the FHIR Mapping Language have no function, in hand-written code.

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** An empty line begins a new paragraph; a line end within a paragraph is kept. */
export function narrativeDiv(text: string): string {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => `<p>${escaped(paragraph.trim())}</p>`);
  return `<div xmlns="http://www.w3.org/1999/xhtml">${paragraphs.join('')}</div>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character).replaceAll('\n', '<br/>');
}

export function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
