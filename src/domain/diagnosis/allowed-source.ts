// Decides whether a link of a diagnosis may be shown: only https addresses of publishers on a list that people can read and change.

const LONGEST = 300;
/** A host of letters, digits and hyphens only, without user, port and numeric address; behind it printable ASCII that no parser reads otherwise. */
const ADDRESS =
  /^https:\/\/((?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]*[a-z])(?:[/?#][!#-;=?-[\]_a-z~]*)?$/i;

export type IsAllowedSource = (url: string) => boolean;

/** A host on the list stands for its subdomains too. A name with letters of other scripts (`xn--…`) counts only if it is itself on the list. */
export function makeIsAllowedSource(hosts: readonly string[]): IsAllowedSource {
  const allowed = new Set(hosts);
  return (url) => {
    if (url.length > LONGEST) return false;
    const host = ADDRESS.exec(url)?.[1]?.toLowerCase();
    if (host === undefined) return false;
    if (host.includes('xn--')) return allowed.has(host);
    const labels = host.split('.');
    return labels.some((_, index) => allowed.has(labels.slice(index).join('.')));
  };
}
