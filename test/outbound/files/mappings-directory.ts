// Makes mappings directories for tests: real folders, with a base as small as possible.
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export const NOTE = `resourceType: DocumentReference
status: current
content:
  - attachment: { contentType: text/plain, data: "{{ (%notice & %note.text).base64() }}" }
`;

export const FLAG = `resourceType: Flag
status: active
code: { coding: ["{{ 'RED'.code(%codes.triage) }}"], text: urgent }
subject: "{{ %patient.reference() }}"
`;

/** A mapping that makes one document of a note; its sites are of one organization. */
export const SMALL_BASE: Files = {
  'base/site.yaml': `mode: live
write: { note: [document-reference], diagnosis: [], provenance: false }
codes: { diagnosis: none }
organization: mercy-general
`,
  'base/document-reference.yaml': NOTE,
  'base/codes/triage.yaml': 'system: "urn:example:triage"\ncodes: { RED: { code: RED }, YELLOW: none }\n',
};

export const MERCY = `extends: base
ehr: { baseUrl: https://ehr.example.org/fhir }
`;

export type MappingsDirectory = AsyncDisposable & {
  readonly directory: string;
  readonly write: (files: Files) => Promise<void>;
  /** Replaces a file at once, as editors do that write a second file and rename it. */
  readonly replace: (path: string, content: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
};

export async function aMappingsDirectory(...given: readonly Files[]): Promise<MappingsDirectory> {
  const root = await mkdtemp(join(tmpdir(), 'mappings-'));
  const directory = join(root, 'mappings');
  const write = async (files: Files) => {
    for (const [path, content] of Object.entries(files)) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  };
  await mkdir(directory);
  for (const files of given) await write(files);
  return {
    directory,
    write,
    async replace(path, content) {
      const other = join(root, 'other');
      await writeFile(other, content);
      await rename(other, join(directory, path));
    },
    remove: (path) => rm(join(directory, path), { recursive: true }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
