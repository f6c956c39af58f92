// Makes plain text of what a model wrote: takes out tags, scripts, Markdown images and links, addresses that were not said, and invisible
// characters. A viewer or converter that reads the result as HTML or Markdown finds words only.
import { cleanText } from '../clean-text.ts';
import { removeAddresses, removeAutolinks } from './addresses.ts';
import { decodeEntities } from './entities.ts';
import { removeLinks } from './markdown.ts';
import { GAP } from './removal.ts';
import { removeTags } from './tags.ts';

/** Whether this web or e-mail address was said, or is in the chart. */
export type IsSaid = (address: string) => boolean;

/** `markup`: tags, comments, scripts and Markdown. `addresses`: addresses that were not said, and addresses that run a program. */
export type Removed = { readonly markup: number; readonly addresses: number };

export const NOTHING_REMOVED: Removed = { markup: 0, addresses: 0 };

export function addRemoved(one: Removed, other: Removed): Removed {
  return { markup: one.markup + other.markup, addresses: one.addresses + other.addresses };
}

export function isNothing({ markup, addresses }: Removed): boolean {
  return markup === 0 && addresses === 0;
}

/** Each pass can bring together what the next one removes. An honest text needs two; more than this is an attack. */
const MOST_PASSES = 6;

/**
 * Comparisons ("SpO2 <90 %", "a < b") stay. A comparison that a parser would read as the start of a tag ("<normal") gets a space. Text without
 * markup is returned unchanged, and a second call changes nothing.
 */
export function removeMarkup(text: string, isSaid: IsSaid): { readonly text: string; readonly removed: Removed } {
  let [now, removed] = [text, NOTHING_REMOVED];
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const next = removeOnce(now, isSaid);
    removed = addRemoved(removed, next.removed);
    if (next.text === now) return { text: now, removed };
    now = next.text;
  }
  const plain = spaceOut(now);
  return { text: plain, removed: plain === now ? removed : addRemoved(removed, { markup: 1, addresses: 0 }) };
}

/** What any removal needs at least. Most texts have none of it. */
const SUSPECT =
  /[<&@[\\%\ufe64\ufe65\uff1c\uff1e]|\.[\p{L}\d]|:[^\s]|script|[({]\s?(?:at|arroba|dot|punto|ponto)\s?[)}]|[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u2064\ufff9-\ufffb\u{e0000}-\u{e007f}]/iu;

function removeOnce(before: string, isSaid: IsSaid): { readonly text: string; readonly removed: Removed } {
  const clean = cleanText(before);
  if (!SUSPECT.test(clean)) return { text: clean, removed: NOTHING_REMOVED };
  const found = { markup: 0, addresses: 0 };
  let text = decodeEntities(withoutInvisible(clean));
  text = removeAutolinks(text, isSaid, found);
  text = removeTags(text, found);
  text = removeLinks(text, isSaid, found);
  text = removeAddresses(text, isSaid, found);
  return { text: closeGaps(text), removed: found };
}

/** Soft hyphens, zero-width characters and the invisible letters of Unicode's tag block. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2060-\u2064\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** A joiner has a meaning between two pictures only. */
const JOINER = /(?<!\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu;

function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, '').replace(JOINER, '');
}

const GAPS = new RegExp(`(?<![ \\t])[ \\t]*${GAP}[ \\t${GAP}]*`, 'g');

/** What was removed leaves one space between words, and none beside a line end or before a punctuation mark. */
function closeGaps(text: string): string {
  const emptied = text.replace(new RegExp(`[([]${GAP}+[)\\]]`, 'g'), GAP);
  return emptied.replace(GAPS, (gap, at: number) => {
    const [before, after] = [emptied.charAt(at - 1), emptied.charAt(at + gap.length)];
    return /^[\n([]?$/.test(before) || /^[\n.,;!?)\]]?$/.test(after) ? '' : ' ';
  });
}

/** The last resort against nested attacks: it takes every sign out of which markup or an address could be made. Numbers stay. */
function spaceOut(text: string): string {
  return text
    .replace(/[<>](?!\s*[=\d])/g, ' ')
    .replace(/[&@[\]\\`]|%(?=3[ce])/gi, ' ')
    .replace(/(?<!\d):|:(?!\d)/g, ' ')
    .replace(/(?<!\d)\.(?=\S)|\.(?=[^\s\d])/g, '. ');
}
