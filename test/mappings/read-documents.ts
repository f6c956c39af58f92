// What a person reads in documents: narratives without their markup, attachments decoded. Two sets that read alike are alike.
import type { Resource } from '@medplum/fhirtypes';

/** The same resource with every narrative and every attachment as the text that they hold. Sizes are checked, and left out. */
export function readable(resource: Resource): unknown {
  return read(resource);
}

function read(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== 'object' || value === null) return value;
  const { div, data, size, ...others } = value as Readonly<Record<string, unknown>>;
  const members = Object.entries(others).map(([key, inner]) => [key, read(inner)]);
  return Object.fromEntries([
    ...members,
    ...(typeof div === 'string' ? [['div', narrativeText(div)]] : []),
    ...(typeof data === 'string' ? [['data', attachmentText(data, size)]] : []),
  ]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#39': "'",
  '#x27': "'",
  apos: "'",
};

/** Throws for any markup but a div with paragraphs, statements and line breaks, and for any entity but those that escaping needs. */
function narrativeText(div: string): string {
  const inner = /^<div xmlns="http:\/\/www\.w3\.org\/1999\/xhtml">([\s\S]*)<\/div>$/.exec(div)?.[1];
  if (inner === undefined) throw new Error('no div around the narrative');
  const text = inner
    .replaceAll(/<\/p>\s*<p>/g, '\n\n')
    .replaceAll(/<\/?p>/g, '')
    .replaceAll(/<span id="st-\d+">|<\/span>/g, '')
    .replaceAll(/<br ?\/>/g, '\n');
  if (/[<>]/.test(text)) throw new Error('markup in a narrative');
  return text.replaceAll(/&([^;]*);/g, (_, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined) throw new Error('an entity that nothing needs');
    return character;
  });
}

function attachmentText(data: string, size: unknown): string {
  const bytes = Buffer.from(data, 'base64');
  if (size !== undefined && size !== bytes.length) throw new Error('an attachment that says another size');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Every text that stands for a document as a whole or for a part of it: each must say first that AI drafted it. */
export function documentTexts(resource: Resource): readonly string[] {
  const found: string[] = [];
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'div') found.push(narrativeText(inner));
      else if (key === 'data') found.push(attachmentText(inner, undefined));
      else look(inner);
    }
  };
  look(resource);
  return found;
}
