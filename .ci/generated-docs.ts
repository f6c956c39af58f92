// Generates the parts of documents that repeat the source: the table of settings, .env.example, and the tables of mapping functions and of
// permissions.
// `--write` writes them; otherwise the script fails if a document differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { environmentSchema } from '../src/config.ts';
import { FUNCTIONS, REFUSED_FUNCTIONS, TYPE_FUNCTIONS } from '../src/mapping/mapping.ts';
import { permissionsTable, purposesTable, rolesTable } from './permission-tables.ts';

type Setting = { readonly name: string; readonly description: string; readonly shownDefault: string };

const settings = Object.entries(environmentSchema.shape).map(([name, schema]): Setting => {
  const fallback = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  return {
    name,
    description: schema.meta()?.description ?? '',
    shownDefault: fallback === undefined ? '' : String(fallback),
  };
});

const table = [
  '| name | default | description |',
  '| --- | --- | --- |',
  ...settings.map(
    ({ name, shownDefault, description }) =>
      `| \`${name}\` | ${shownDefault && `\`${shownDefault}\``} | ${description.replaceAll('|', '\\|')} |`,
  ),
].join('\n');

const example = settings
  .map(({ name, shownDefault, description }) => `# ${description}\n#${name}=${shownDefault}\n`)
  .join('\n');

const functions = [
  '| function | gives |',
  '| --- | --- |',
  ...[...FUNCTIONS.values()]
    .toSorted((one, other) => Number(other.isAdded) - Number(one.isAdded))
    .map(({ usage, docs, isAdded }) => `| \`${usage}\`${isAdded ? ' **(ours)**' : ''} | ${docs} |`),
  ...[...TYPE_FUNCTIONS.values()].map(({ usage, docs }) => `| \`${usage}\` | ${docs} |`),
].join('\n');

const refused = [...Map.groupBy(REFUSED_FUNCTIONS, ([, reason]) => reason)]
  .map(([reason, names]) => `- ${names.map(([name]) => `\`${name}()\``).join(', ')}: ${reason}.`)
  .join('\n');

const wanted = new Map([
  ['docs/configuration.md', withTables('docs/configuration.md', { configuration: table })],
  ['docs/mappings.md', withTables('docs/mappings.md', { functions, 'refused functions': refused })],
  [
    'docs/security.md',
    withTables('docs/security.md', { roles: rolesTable, purposes: purposesTable, permissions: permissionsTable }),
  ],
  [
    '.env.example',
    `# Settings of Chartwright with their defaults. Copy this file to .env and remove the # of each value that you change.\n\n${example}`,
  ],
]);

for (const [file, text] of wanted) {
  if (process.argv.includes('--write')) writeFileSync(file, text);
  else if (readOrEmpty(file) !== text) {
    console.error(`${file} differs from the source: npm run docs`);
    process.exitCode = 1;
  }
}

/** Returns the text of the file with the content between the marks of each table replaced. */
function withTables(file: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce(
    (text, [name, content]) => {
      const mark = `<!-- ${name}: made by npm run docs -->`;
      const begin = text.indexOf(mark);
      const end = text.indexOf(`<!-- /${name} -->`);
      if (begin < 0 || end < begin) throw new Error(`${file} has no ${mark} … <!-- /${name} -->`);
      return `${text.slice(0, begin)}${mark}\n${content}\n${text.slice(end)}`;
    },
    readFileSync(file, 'utf8'),
  );
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
