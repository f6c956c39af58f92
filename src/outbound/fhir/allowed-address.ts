// Decides which addresses may be called for a site: those of its own EHR, and for recordings the origins that the site lists. Whole
// origins are compared, as parsed and as written; a prefix would let `https://ehr.example.org.evil.example` through. Nothing here sends anything.
//
// Nothing is resolved here, and need not be: only names that stand in the site's settings are ever called, so a name that an attacker
// points elsewhere (DNS rebinding) is none that data could bring in; and hospitals are inside: private addresses are their usual ones.
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { EhrSettings } from '../../domain/site/site.ts';

export type AllowedAddress = {
  readonly url: URL;
  /** True: the address is at the EHR itself and gets the credentials. False only for recordings at another listed origin. */
  readonly isOwn: boolean;
};

/** Returns undefined for an address that must not be called. */
export type AllowAddress = (
  address: string,
  options?: { readonly isAttachment?: boolean },
) => AllowedAddress | undefined;

type Origin = { readonly origin: string; readonly spellings: ReadonlySet<string> };

/** Most servers refuse longer addresses; the engine makes none. */
const MAX_ADDRESS_LENGTH = 8192;
const CONTROL_OR_SPACE = /[\p{Cc}\p{Cf}\p{Z}]/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const ABSOLUTE = /^https?:\/\/(?<authority>[^/?#]+)/i;

export function makeAllowAddress({
  baseUrl,
  attachmentOrigins,
}: Pick<EhrSettings, 'baseUrl'> & { readonly attachmentOrigins: readonly string[] }): AllowAddress {
  const base = readBase(baseUrl);
  // The site decides on plain http once, in its baseUrl.
  const others = attachmentOrigins
    .map(readOrigin)
    .filter((other) => other !== undefined && (base?.url.protocol === 'http:' || other.origin.startsWith('https:')));
  return (address, { isAttachment = false } = {}) => {
    if (base === undefined || !isWellWritten(address)) return undefined;
    const url = SCHEME.test(address) ? URL.parse(address) : resolveRelative(address, base.url);
    if (url === null || url.username !== '' || url.password !== '') return undefined;
    url.hash = '';
    const isSpelled = ({ origin, spellings }: Origin) => url.origin === origin && isSpelledAs(address, spellings);
    if (isSpelled(base)) return { url, isOwn: true };
    const isListed = isAttachment && others.some((other) => other !== undefined && isSpelled(other));
    return isListed ? { url, isOwn: false } : undefined;
  };
}

/** The warning if patient data and passwords would travel unencrypted; undefined if they do not, or only within this machine. */
export function plainHttpWarning({ baseUrl }: Pick<EhrSettings, 'baseUrl'>): string | undefined {
  if (!isUnencryptedRemote(baseUrl)) return undefined;
  return 'ehr.baseUrl is plain http to another machine: patient data and credentials can be read on the way; use https';
}

function readBase(baseUrl: string): (Origin & { readonly url: URL }) | undefined {
  const url = URL.parse(baseUrl);
  const origin = readOrigin(baseUrl);
  if (url === null || origin === undefined || url.search !== '' || url.username !== '') return undefined;
  url.pathname = url.pathname.replace(/\/+$/, '');
  url.hash = '';
  return { ...origin, url };
}

function readOrigin(address: string): Origin | undefined {
  const url = URL.parse(address);
  const written = ABSOLUTE.exec(address)?.groups?.['authority']?.toLowerCase();
  if (url === null || written === undefined) return undefined;
  const standardPort = url.protocol === 'https:' ? '443' : '80';
  const spellings = url.port === '' ? [url.host, `${url.host}:${standardPort}`] : [url.host];
  return { origin: url.origin, spellings: new Set([...spellings, written]) };
}

function isWellWritten(address: string): boolean {
  if (address.length > MAX_ADDRESS_LENGTH || address.includes('\\') || CONTROL_OR_SPACE.test(address)) return false;
  // `//evil.example` would leave the origin; `#x` is inside a resource and cannot be fetched.
  return !address.startsWith('//') && !address.startsWith('#') && (!SCHEME.test(address) || ABSOLUTE.test(address));
}

/**
 * Other spellings of the same server (2130706433, 0x7f.1, fullwidth digits, a dot at the end) are refused: only attackers use them. A
 * relative address has no spelling of its own.
 */
function isSpelledAs(address: string, spellings: ReadonlySet<string>): boolean {
  const authority = ABSOLUTE.exec(address)?.groups?.['authority'];
  return authority === undefined || spellings.has(authority.toLowerCase());
}

/** Against the base as a folder: `Patient/1` at `https://e/fhir/R4` is `https://e/fhir/R4/Patient/1`. */
function resolveRelative(address: string, base: URL): URL | null {
  if (address === '' || address.startsWith('?')) return URL.parse(`${base.href}${address}`);
  return URL.parse(address, `${base.href.replace(/\/$/, '')}/`);
}
