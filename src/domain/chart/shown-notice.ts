// Whether each text that a clinician can read begins with the AI notice: each narrative, and each attachment of text.
import { cleanText } from '../clean-text.ts';

/** Returns the path of the first text that begins with something else: `section[0].text.div`. Undefined if there is none. */
export function findHiddenNotice(resource: unknown, notice: string): string | undefined {
  const [firstLine = ''] = cleanText(notice).trim().split('\n');
  return find(resource, { firstLine: evenSpaces(firstLine), path: '' });
}

type NoticeSearch = { readonly firstLine: string; readonly path: string };

function find(value: unknown, { firstLine, path }: NoticeSearch): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}${path === '' ? '' : '.'}${key}`;
    const kind = typeof inner === 'string' ? kindOf(key, value) : undefined;
    const isHidden =
      typeof inner === 'string' && kind !== undefined && !textOf({ kind, firstLine }, inner).startsWith(firstLine);
    const found = isHidden ? at : find(inner, { firstLine, path: at });
    if (found !== undefined) return found;
  }
  return undefined;
}

type Kind = 'narrative' | 'data' | 'html data' | 'cue data';

/** A narrative's `div`, or the `data` of an attachment with a text type. Formats that need a program to be read are not checked. */
function kindOf(key: string, owner: object): Kind | undefined {
  if (key === 'div') return 'narrative';
  if (key !== 'data' || !('contentType' in owner)) return undefined;
  const type = String(owner.contentType).trim().toLowerCase();
  if (/^(text\/(html|xml)|application\/(xhtml\+)?xml)\b/.test(type)) return 'html data';
  if (/^text\/vtt\b/.test(type)) return 'cue data';
  return /^text\/(?!rtf\b)/.test(type) ? 'data' : undefined;
}

/** The beginning of the text, as long as the notice can be: a text can have a megabyte. */
function textOf({ kind, firstLine }: { readonly kind: Kind; readonly firstLine: string }, written: string): string {
  const enough = firstLine.length * 8 + 400;
  const beginning = written.slice(0, kind === 'html data' ? enough * 8 : enough);
  const text = kind === 'narrative' ? beginning : Buffer.from(beginning, 'base64').toString('utf8');
  if (kind === 'cue data') return evenSpaces(cleanText(text.replace(/^WEBVTT\s+NOTE\s/, '')));
  return evenSpaces(cleanText(kind === 'data' ? text : plainText(withoutHead(text))));
}

/** A browser does not show the head. */
function withoutHead(html: string): string {
  return html.replace(/^[\s\S]*?<body\b[^<>]*>/i, '');
}

/** Mappings trim the white space of narratives. */
function evenSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', apos: "'", '#39': "'" };

function plainText(xhtml: string): string {
  return xhtml
    .replace(/<[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|amp|apos|#39);/g, (all, name: string) => SIGNS[name] ?? all);
}
