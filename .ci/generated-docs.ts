// Keeps what is made of the configuration schema true: the README's table and .env.example. `--write` makes them anew.
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { environmentSchema } from '../src/config.ts';

const BEGIN = '<!-- configuration: made by npm run docs -->';
const END = '<!-- /configuration -->';

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
  '| name | default | what it is |',
  '| --- | --- | --- |',
  ...settings.map(
    ({ name, shownDefault, description }) =>
      `| \`${name}\` | ${shownDefault && `\`${shownDefault}\``} | ${description.replaceAll('|', '\\|')} |`,
  ),
].join('\n');

const example = settings
  .map(({ name, shownDefault, description }) => `# ${description}\n#${name}=${shownDefault}\n`)
  .join('\n');

const readme = readFileSync('README.md', 'utf8');
const begin = readme.indexOf(BEGIN);
const end = readme.indexOf(END);
if (begin < 0 || end < begin) throw new Error(`README.md has no ${BEGIN} … ${END}`);
const wanted = new Map([
  ['README.md', `${readme.slice(0, begin)}${BEGIN}\n${table}\n${readme.slice(end)}`],
  [
    '.env.example',
    `# Settings of Chartwright, with their defaults. Copy to .env and take the # away where you want another value.\n\n${example}`,
  ],
]);

for (const [file, text] of wanted) {
  if (process.argv.includes('--write')) writeFileSync(file, text);
  else if (readOrEmpty(file) !== text) {
    console.error(`${file} is not what the configuration schema says: npm run docs`);
    process.exitCode = 1;
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
