// `codes/sources.yaml`: the hosts of guideline publishers whose links a diagnosis may show.
import type { Problem } from '../domain/mapping/mapping.ts';
import type { SourceNode } from './source/source-tree.ts';
import { didYouMean } from './suggest.ts';

/** The file's path in a folder. It is a list, and no table in `%codes`. */
export const SOURCES_FILE = 'codes/sources.yaml';

const HOST = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/;
const FORM = 'a host alone, in small letters: nice.org.uk';

/** Returns the hosts only if the file has no problem. */
export function parseSourceHosts(root: SourceNode): {
  readonly hosts?: readonly string[];
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const report = ({ place }: Pick<SourceNode, 'place'>, message: string): void =>
    void problems.push({ place, message });
  const hosts = readHosts(root, report);
  return problems.length === 0 ? { hosts, problems } : { problems };
}

type Report = (node: Pick<SourceNode, 'place'>, message: string) => void;

function readHosts(root: SourceNode, report: Report): readonly string[] {
  if (root.kind !== 'map') {
    report(root, 'the list of sources has the key hosts');
    return [];
  }
  for (const { key, keyPlace } of root.entries) {
    if (key !== 'hosts') report({ place: keyPlace }, `${key} is not known here${didYouMean(key, ['hosts'])}`);
  }
  const list = root.entries.find(({ key }) => key === 'hosts')?.value;
  if (list?.kind !== 'list') {
    report(list ?? root, 'hosts is a list, one host a line; write [] to show no links');
    return [];
  }
  const found = new Set<string>();
  for (const item of list.items) {
    const host = item.kind === 'scalar' && typeof item.value === 'string' ? item.value : undefined;
    if (host === undefined || !HOST.test(host) || host.length > 253) report(item, `each item of hosts is ${FORM}`);
    else if (found.has(host)) report(item, `${host} is in this list twice`);
    else found.add(host);
  }
  return [...found];
}
