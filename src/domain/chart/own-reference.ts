// References to resources of this EHR. Another server's `Patient/1` is another person.

/** An id that is `.` or `..` would lead elsewhere in an address. */
const RELATIVE = /^([A-Z][A-Za-z]+)\/(?!\.{1,2}$)([A-Za-z0-9.-]{1,64})$/;

/** `Patient/1` of a Reference that is relative or below the EHR's own address, without a version; undefined for anything else. */
export function ownReference(reference: unknown, baseUrl: string | undefined): string | undefined {
  if (typeof reference !== 'object' || reference === null || !('reference' in reference)) return undefined;
  if (typeof reference.reference !== 'string') return undefined;
  const [literal = ''] = reference.reference.split('/_history/');
  return RELATIVE.test(literal) ? literal : relativeTo(baseUrl, literal);
}

function relativeTo(baseUrl: string | undefined, literal: string): string | undefined {
  const [base, url] = [baseUrl === undefined ? null : URL.parse(baseUrl), URL.parse(literal)];
  if (base === null || url === null || base.origin !== url.origin || url.search !== '' || url.hash !== '') {
    return undefined;
  }
  const path = `${base.pathname.replace(/\/+$/, '')}/`;
  const relative = url.pathname.slice(path.length);
  return url.pathname.startsWith(path) && RELATIVE.test(relative) ? relative : undefined;
}
