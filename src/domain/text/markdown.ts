// Takes Markdown images and links out of a text. The words of a link stay.
import { looksLikeAddress } from './addresses.ts';
import { GAP, type RemovalCount } from './removal.ts';

type IsSaid = (address: string) => boolean;

const LABEL = '(?:[^[\\]\\n]|\\[[^[\\]\\n]{0,200}\\]){0,1000}';
const TARGET = '(<[^<>\\n]{0,2000}>|[^\\s()<>]{0,2000}(?:\\([^\\s()<>]{0,500}\\)[^\\s()<>]{0,500}){0,5})';
const TITLE = '(?:\\s{1,5}(?:"[^"\\n]{0,500}"|\'[^\'\\n]{0,500}\'|\\([^()\\n]{0,500}\\)))?';

const IMAGE = new RegExp(`!\\[${LABEL}\\]\\([^()\\n]{0,2000}(?:\\([^()\\n]{0,500}\\)[^()\\n]{0,500}){0,5}\\)`, 'g');
/** An image whose end was cut off, and one whose address is elsewhere. */
const BROKEN_IMAGE = new RegExp(`!\\[${LABEL}\\](?:\\(\\S*|\\[[^[\\]\\n]{0,200}\\])`, 'g');
const LINK = new RegExp(`\\[(${LABEL})\\]\\(\\s{0,5}${TARGET}${TITLE}\\s{0,5}\\)`, 'g');
const BROKEN_LINK = new RegExp(
  `\\[(${LABEL})\\]\\(\\s{0,5}((?:[a-z][a-z\\d+.-]{1,20}:|www\\.|//)[^\\s()]{0,2000})$`,
  'gi',
);
const DEFINITION =
  /^ {0,3}\[([^[\]\n]{1,200})\]:[ \t]{0,5}(\S{1,2000})(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$/gm;
const REFERENCE = /\[([^[\]\n]{1,500})\](?:\[([^[\]\n]{0,200})\])?/g;

export function removeLinks(text: string, isSaid: IsSaid, found: RemovalCount): string {
  if (!text.includes('[')) return text;
  const removeImage = (): string => {
    found.markup += 1;
    return GAP;
  };
  const keepWords = (match: string, words: string, target: string): string => {
    const address = target.replace(/^<|>$/g, '');
    // "[H+](high)" is no link, but a viewer would make one.
    if (!looksLikeAddress(address) && address !== '') return match.replace('](', '] (');
    if (address !== '' && isSaid(address)) return `${words} (${address})`;
    found.addresses += 1;
    return words;
  };
  const withoutImages = text.replace(IMAGE, removeImage).replace(BROKEN_IMAGE, removeImage).replaceAll('![', '! [');
  return removeReferences(withoutImages.replace(LINK, keepWords).replace(BROKEN_LINK, keepWords), isSaid, found);
}

/** `[words][1]`, with `[1]: address` on a line of its own. */
function removeReferences(text: string, isSaid: IsSaid, found: RemovalCount): string {
  const labels = new Set<string>();
  const withoutDefinitions = text.replace(DEFINITION, (match, label: string, target: string) => {
    if (!looksLikeAddress(target)) return match;
    labels.add(label.trim().toLowerCase());
    found.addresses += 1;
    return isSaid(target) ? target : GAP;
  });
  if (labels.size === 0) return text;
  return withoutDefinitions.replace(REFERENCE, (match, words: string, label?: string) =>
    labels.has((label || words).trim().toLowerCase()) ? words : match,
  );
}
