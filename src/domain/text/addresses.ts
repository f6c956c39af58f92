// Takes web and e-mail addresses that were not said out of a text, and all addresses that run a program or hold a file.
import { GAP, type RemovalCount } from './removal.ts';

type IsSaid = (address: string) => boolean;

const AUTOLINK =
  /<\s*((?:[a-z][a-z\d+.-]{1,20}:\/\/|mailto:|www\.)[^\s<>]{1,2000}|[^\s<>@]{1,64}@[^\s<>@]{1,255})\s*>/gi;

/** Browsers ignore tabs and line ends within a scheme. */
const PROGRAM = new RegExp(
  `(?:${['javascript', 'vbscript', 'livescript'].map((name) => [...name].join('[\\t\\n]{0,3}')).join('|')})\\s{0,20}:(?:[ \\t]?[^\\s(]{0,200}\\()?\\S*`,
  'gi',
);
/** `data: 5 March` and `Data: 12/03` are words; an address names a type, or begins with a comma. */
const DATA = /data:(?:[a-z]{1,20}\/[a-z\d.+-]{1,60}[;,]|[;,])\S*/gi;

const WITH_SCHEME = /(?:(?<![a-z\d+.-])[a-z][a-z\d+.-]{1,30}:\/\/|h(?:tt|xx)ps?:|mailto:|ftp:)[^\s<>"`]*/gi;
const WWW = /(?<![\p{L}\p{N}_@.-])(?:\/\/)?www\d?\.[^\s<>"`]+/giu;
const MAIL = /(?<![\p{L}\p{N}_.+%-])[\p{L}\p{N}_.+%-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.)+[\p{L}]{2,24}(?![\p{L}\p{N}])/giu;

/** `nurse [at] clinic.example`, `ana (arroba) clinica (punto) es` */
const DISGUISED =
  /[\p{L}\p{N}_.+-]{1,64}\s?[[({]\s?(?:at|arroba|@)\s?[\])}]\s?[\p{L}\p{N}-]{1,63}(?:\s?(?:\.|[[({]\s?(?:dot|punto|ponto|\.)\s?[\])}])\s?[\p{L}\p{N}-]{1,63}){1,5}/giu;

const ENDINGS =
  'com|org|net|edu|gov|gob|mil|int|info|biz|app|dev|xyz|health|clinic|hospital|doctor|link|click|site|online|shop|store|top|club|live|cloud|tech|website|space|icu|ru|cn|uk|br|mx|ar|cl|pe|ve|ec|uy|py|bo|cr|gt|hn|ni|sv|pr|eu|us|ca|au|nz|za|ie|fr|it|nl|ch|pl|jp|kr|ly|io|co|me|ai|tk|cc|gg|es|pt|de';
/** Words and abbreviations as well as endings: after a full stop without a space they are words. */
const WORD_ENDINGS = /\.(?:it|me|io|co|us|cc|ai|de|pr|ca|ch|int|top|live|space|link|site|cr|pe|ar|bo|gg)$/;
const DOMAIN = new RegExp(
  `(?<![\\p{L}\\p{N}_@.-])(?:\\/\\/)?((?:[a-z\\d](?:[a-z\\d-]{0,62})\\.)+(?:${ENDINGS}))(?![\\p{L}\\p{N}_]|[.-][\\p{L}\\p{N}])((?::\\d{1,5})?(?:[/?#][^\\s<>"\`]*)?)`,
  'giu',
);

/** Behind an address these are marks of the sentence. */
const TRAILING = /[.,;:!?)\]}'*_\u201d\u2019\u00bb]{1,20}$/;

export function removeAutolinks(text: string, isSaid: IsSaid, found: RemovalCount): string {
  return text.replace(AUTOLINK, (_, address: string) => keptOrGap(address, isSaid, found));
}

export function removeAddresses(text: string, isSaid: IsSaid, found: RemovalCount): string {
  const remove = (): string => {
    found.addresses += 1;
    return GAP;
  };
  const check = (match: string): string => {
    const marks = TRAILING.exec(match)?.[0] ?? '';
    // The bracket of `a_(b)` belongs to the address.
    const tail = match.slice(0, -marks.length || undefined).includes('(') ? marks.replace(/^[^)]*\)/, '') : marks;
    const address = match.slice(0, match.length - tail.length);
    return keptOrGap(address, isSaid, found) + tail;
  };
  return text
    .replace(PROGRAM, remove)
    .replace(DATA, remove)
    .replace(WITH_SCHEME, check)
    .replace(WWW, check)
    .replace(MAIL, check)
    .replace(DISGUISED, check)
    .replace(DOMAIN, (match, host: string, rest: string) => (isDomain(host, rest) ? check(match) : match));
}

/** `looksLikeAddress('Na')` is false: what is behind brackets in a note is seldom a link. */
export function looksLikeAddress(text: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\.{0,2}\/|[#?<]|[^\s@]+@[^\s@]+$|[a-z][a-z\d-]*\.[a-z\d-]*[a-z])/i.test(text);
}

function keptOrGap(address: string, isSaid: IsSaid, found: RemovalCount): string {
  if (!isActive(address) && isSaid(address)) return address;
  found.addresses += 1;
  return GAP;
}

function isActive(address: string): boolean {
  return /^\s*(?:java|vb|live)script\s*:|^\s*data:/i.test(address);
}

/** "Fever.Me" and "dolor.Es" are two sentences: an ending is in small letters, or all is in capitals. */
function isDomain(host: string, rest: string): boolean {
  const labels = host.split('.');
  const ending = labels.at(-1) ?? '';
  if (rest !== '') return true;
  if (ending !== ending.toLowerCase() && host !== host.toUpperCase()) return false;
  if (labels.length > 2) return labels.some((label) => label.length > 2 && /[a-z]/i.test(label) && label !== ending);
  const [name = ''] = labels;
  return name.length > 2 && /[a-z]/i.test(name) && !WORD_ENDINGS.test(host.toLowerCase());
}
