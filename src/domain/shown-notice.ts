// Whether everything that a clinician could read begins with the AI notice: each narrative, and each attachment of plain text.
import { cleanText } from './clean-text.ts';

/** Where the first text stands that begins with something else: `section[0].text.div`. Undefined where there is none. */
export function findHiddenNotice(resource: unknown, notice: string): string | undefined {
  const [firstLine = ''] = cleanText(notice).trim().split('\n');
  return find(resource, { firstLine: evenSpaces(firstLine), path: '' });
}

type Looking = { readonly firstLine: string; readonly path: string };

function find(value: unknown, { firstLine, path }: Looking): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}${path === '' ? '' : '.'}${key}`;
    const isHidden =
      typeof inner === 'string' && isText(key, value) && !textOf(key, inner, firstLine).startsWith(firstLine);
    const found = isHidden ? at : find(inner, { firstLine, path: at });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A narrative's `div`, or the `data` of an attachment that says it is plain text. */
function isText(key: string, owner: object): boolean {
  if (key === 'div') return true;
  return key === 'data' && 'contentType' in owner && String(owner.contentType).startsWith('text/plain');
}

/** Its beginning, as far as the notice may go: texts can have a megabyte. */
function textOf(key: string, written: string, firstLine: string): string {
  const enough = firstLine.length * 8 + 400;
  const beginning = written.slice(0, enough);
  const text = key === 'data' ? Buffer.from(beginning, 'base64').toString('utf8') : plainText(beginning);
  return evenSpaces(cleanText(text));
}

/** Narratives have theirs trimmed. */
function evenSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', apos: "'", '#39': "'" };

function plainText(xhtml: string): string {
  return xhtml
    .replace(/<[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|amp|apos|#39);/g, (all, name: string) => SIGNS[name] ?? all);
}
