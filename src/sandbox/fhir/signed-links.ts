// Signed links to the bytes of recordings, as EHRs with a storage of their own give out: made anew each time a resource is read, open to
// anyone who has them, and ended after a while or when the signing key changes. Stored resources keep the plain link, `Binary/12`.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, type Json } from './resource-values.ts';

export type SignedLinks = {
  /** Returns the resource, or the Bundle of resources, with a signed link for each attachment that is a Binary of this server. */
  readonly sign: (resource: Json) => Json;
  /** Returns the resource as it is stored: a client may send back what it has read. */
  readonly unsign: (resource: Json) => Json;
  readonly check: (id: string, query: string) => LinkState;
  /** All links that were given out so far end at once. */
  readonly changeKey: () => void;
};

export type LinkState = 'unsigned' | 'valid' | 'ended' | 'forged';

type LinkParts = { readonly seconds: number; readonly baseUrl: () => string; readonly now: () => Date };

export function makeSignedLinks({ seconds, baseUrl, now }: LinkParts): SignedLinks {
  let key = makeKey();

  const signatureOf = (id: string, nonce: string, expires: string) =>
    createHmac('sha256', key.secret).update(`${id} ${nonce} ${expires}`).digest('base64url');

  const signed = (url: string): string => {
    const id = /^Binary\/([A-Za-z0-9.-]{1,64})$/.exec(url)?.[1];
    if (id === undefined) return url;
    const expires = String(Math.floor(now().getTime() / 1000) + seconds);
    // Two links of the same second differ as well.
    const nonce = randomBytes(6).toString('base64url');
    const signature = `${nonce}.${signatureOf(id, nonce, expires)}`;
    const query = new URLSearchParams({ Expires: expires, 'Key-Pair-Id': key.id, Signature: signature });
    return `${baseUrl()}/${url}?${query}`;
  };

  const unsigned = (url: string): string => {
    const [address = '', query = ''] = url.split('?');
    const plain = address.startsWith(`${baseUrl()}/`) ? address.slice(baseUrl().length + 1) : undefined;
    return plain !== undefined && isSigned(query) && plain.startsWith('Binary/') ? plain : url;
  };

  return {
    sign: (resource) => mapLinks(resource, signed),
    unsign: (resource) => mapLinks(resource, unsigned),
    check(id, query) {
      if (!isSigned(query)) return 'unsigned';
      const parameters = new URLSearchParams(query);
      const expires = parameters.get('Expires') ?? '';
      const [nonce = '', signature = ''] = (parameters.get('Signature') ?? '').split('.');
      if (!isEqual(signature, signatureOf(id, nonce, expires))) return 'forged';
      return now().getTime() < Number(expires) * 1000 ? 'valid' : 'ended';
    },
    changeKey: () => {
      key = makeKey();
    },
  };
}

/** True for the query of a signed link, whether its signature is right or not. */
export function isSigned(query: string): boolean {
  return new URLSearchParams(query).has('Signature');
}

function makeKey(): { readonly id: string; readonly secret: Buffer } {
  return { id: randomBytes(6).toString('hex'), secret: randomBytes(32) };
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

type MapUrl = (url: string) => string;

function mapLinks(resource: Json, map: MapUrl): Json {
  const { entry, content } = resource;
  switch (resource['resourceType']) {
    case 'Bundle':
      return Array.isArray(entry) ? { ...resource, entry: entry.map((one) => withResource(one, map)) } : resource;
    case 'DocumentReference':
      return Array.isArray(content)
        ? { ...resource, content: content.map((one) => withAttachment(one, map)) }
        : resource;
    case 'Media':
      return { ...resource, ...(isObject(content) && { content: withUrl(content, map) }) };
    default:
      return resource;
  }
}

function withResource(entry: unknown, map: MapUrl): unknown {
  if (!isObject(entry) || !isObject(entry['resource'])) return entry;
  return { ...entry, resource: mapLinks(entry['resource'], map) };
}

function withAttachment(content: unknown, map: MapUrl): unknown {
  if (!isObject(content) || !isObject(content['attachment'])) return content;
  return { ...content, attachment: withUrl(content['attachment'], map) };
}

function withUrl(attachment: Json, map: MapUrl): Json {
  const { url } = attachment;
  return typeof url === 'string' ? { ...attachment, url: map(url) } : attachment;
}
