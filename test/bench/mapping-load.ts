// Measures the cost of loading the base set: parse, check and compile. It runs as a process of its own with `--expose-gc`, so that nothing
// else is in its memory: `mapping-load.ts <mappings directory>` prints one line of JSON.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { median } from './process-figures.ts';

export type LoadFigures = {
  readonly documents: number;
  /** Processor time of the first load, with the code of the mapping language and the definitions of FHIR. */
  readonly firstMs: number;
  readonly laterMs: number;
  /** The memory that the first load keeps. */
  readonly firstBytes: number;
  /** The memory of one more copy of the mappings alone. */
  readonly laterBytes: number;
};

const COPIES = 5;

async function measure(mappings: string): Promise<LoadFigures> {
  const directory = await mkdtemp(path.join(tmpdir(), 'chartwright-bench-'));
  await cp(path.join(mappings, 'base'), path.join(directory, 'base'), { recursive: true });
  try {
    const emptyBytes = usedBytes();
    const load = async () => {
      const before = process.cpuUsage();
      const { readFolders } = await import('../../src/outbound/files/mapping-folders.ts');
      const { folders, problems } = await readFolders({ directory, environment: {} });
      const { user, system } = process.cpuUsage(before);
      const documents = folders[0]?.site?.mappings.size ?? 0;
      if (documents === 0 || problems.length > 0) throw new Error(`the base set has ${problems.length} problems`);
      return { folders, documents, takenMs: (user + system) / 1000 };
    };
    const first = await load();
    const firstBytes = usedBytes();
    const copies = [];
    for (let copy = 0; copy < COPIES; copy += 1) copies.push(await load());
    const { documents, takenMs: firstMs } = first;
    const laterMs = median(copies.map(({ takenMs }) => takenMs));
    const laterBytes = (usedBytes() - firstBytes) / copies.length;
    return { documents, firstMs, laterMs, firstBytes: firstBytes - emptyBytes, laterBytes };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function usedBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const [, , mappings = 'mappings'] = process.argv;
console.log(JSON.stringify(await measure(mappings)));
