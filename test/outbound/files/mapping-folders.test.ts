// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how settings name secrets
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../../src/domain/mapping/mapping.ts';
import {
  type Folder,
  type ReadFolders,
  type ReadFoldersParts,
  readFolders,
} from '../../../src/outbound/files/mapping-folders.ts';
import { aMappingsDirectory, type Files, FLAG, MERCY, NOTE, SMALL_BASE } from './mappings-directory.ts';

const ENVIRONMENT = { MERCY_SECRET: 'swordfish' };

async function read(...files: readonly Files[]): Promise<ReadFolders> {
  await using made = await aMappingsDirectory(SMALL_BASE, ...files);
  return await readFolders({ directory: made.directory, environment: ENVIRONMENT });
}

function named({ folders }: ReadFolders, name: string): Folder {
  const found = folders.find((folder) => folder.name === name);
  if (found === undefined) throw new Error(`there is no folder ${name}`);
  return found;
}

function said({ problems }: Pick<ReadFolders, 'problems'>): readonly string[] {
  return problems.map(describeProblem);
}

/** Reads a faulty folder beside a valid site, which must remain valid. */
async function problemsBesideMercy(files: Files): Promise<readonly string[]> {
  const all = await read({ 'mercy/site.yaml': MERCY }, files);
  expect(named(all, 'mercy').site?.name).toBe('mercy');
  return said(all);
}

describe('A mappings directory', () => {
  it('is read with base, profiles, sites and folders to be extended', async () => {
    const all = await read({
      'mercy/site.yaml': MERCY.replace('base', 'profiles/us-core'),
      'mercy/flag.yaml': FLAG,
      'profiles/us-core/site.yaml': 'extends: base\nmode: shadow\n',
      'region/site.yaml': 'extends: base\ntimeZone: Europe/Madrid\n',
    });
    expect(said(all)).toEqual([]);
    expect(
      all.folders.map(({ name, kind, ownDocuments, inheritedFrom }) => ({ name, kind, ownDocuments, inheritedFrom })),
    ).toEqual([
      { name: 'base', kind: 'base', ownDocuments: ['document-reference'], inheritedFrom: [] },
      { name: 'mercy', kind: 'site', ownDocuments: ['flag'], inheritedFrom: ['profiles/us-core', 'base'] },
      { name: 'region', kind: 'folder', ownDocuments: [], inheritedFrom: ['base'] },
      { name: 'profiles/us-core', kind: 'profile', ownDocuments: [], inheritedFrom: ['base'] },
    ]);
    const mercy = named(all, 'mercy').site;
    expect(mercy?.settings).toMatchObject({ mode: 'shadow', write: { note: ['document-reference'] } });
    expect([...(mercy?.mappings.keys() ?? [])].sort()).toEqual(['document-reference', 'flag']);
    expect(all.folders.every(({ site }) => site !== undefined)).toBe(true);
  });

  it('has a table without missing codes for a site with codes.diagnosis: none', async () => {
    const all = await read({ 'mercy/site.yaml': `${MERCY}codes: { diagnosis: none }\n` });
    expect(said(all)).toEqual([]);
    expect(named(all, 'mercy').site?.codes['diagnosis']).toEqual({ name: 'diagnosis', unmapped: 'ignore', codes: {} });
  });

  it('gives mappings that can be applied at once', async () => {
    const all = await read({ 'mercy/site.yaml': MERCY });
    const mapping = named(all, 'mercy').site?.mappings.get('document-reference');
    const made = mapping?.apply({ variables: { note: { text: 'well' }, notice: 'AI: ' } });
    expect(made?.value).toMatchObject({
      content: [{ attachment: { data: Buffer.from('AI: well').toString('base64') } }],
    });
    expect(mapping?.file).toBe('mappings/base/document-reference.yaml');
  });

  it('has no site if a folder has no address of an EHR, or an address without a value', async () => {
    const all = await read({ 'mercy/site.yaml': 'extends: base\nehr: { baseUrl: }\n' });
    expect(named(all, 'mercy').kind).toBe('folder');
  });

  it('ignores folders that contain no mappings or settings', async () => {
    const all = await read({
      'docs/README.md': '# how we work',
      '.git/config.yaml': 'a: 1',
      'mercy/site.yaml': MERCY,
      'mercy/README.md': 'no template',
      'mercy/.composition.yaml.swp': 'half',
      'mercy/composition.yaml~': 'old',
      'mercy/tests/knee/input.yaml': 'a: [',
      'mercy/notes.txt': 'x',
      'mercy/codes/README.md': 'x',
    });
    expect(said(all)).toEqual([]);
    expect(all.folders.map(({ name }) => name)).toEqual(['base', 'mercy']);
  });

  it('reports one problem if it does not exist, and none if it is optional', async () => {
    await using made = await aMappingsDirectory();
    const directory = join(made.directory, 'elsewhere');
    const message = 'elsewhere:1:1: there is no such folder: the settings and mappings of sites stand there';
    const all = await readFolders({ directory, environment: {} });
    expect(all.folders).toEqual([]);
    expect(said(all)).toEqual([message]);
    expect(said(await readFolders({ directory, environment: {}, isOptional: true }))).toEqual([]);
  });

  it.each([
    ['as the operator wrote it', { displayRoot: './my/mappings' }, './my/mappings/mercy/site.yaml:1:1'],
    ['by its name if it is an absolute path', {}, 'mappings/mercy/site.yaml:1:1'],
  ])('is named in messages %s', async (_title, display, expected) => {
    await using made = await aMappingsDirectory({ 'mercy/site.yaml': 'moed: live' });
    const all = await readFolders({ directory: made.directory, environment: {}, ...display });
    expect(said(all)).toEqual([`${expected}: moed is no setting; did you mean mode?`]);
  });
});

describe('The folder that another one extends', () => {
  it('gives it every mapping and table that it does not have', async () => {
    const all = await read({
      'mercy/site.yaml': MERCY.replace('base', 'profiles/us-core'),
      'mercy/document-reference.json': JSON.stringify({
        resourceType: 'DocumentReference',
        status: 'superseded',
        content: [{ attachment: { title: '{{ %notice }}' } }],
      }),
      'mercy/codes/triage.yaml': 'codes: { WHITE: { code: W } }',
      'profiles/us-core/site.yaml': 'extends: base',
      'profiles/us-core/flag.yaml': FLAG,
    });
    expect(said(all)).toEqual([]);
    const mercy = named(all, 'mercy').site;
    expect(mercy?.mappings.get('document-reference')?.file).toBe('mappings/mercy/document-reference.json');
    expect(mercy?.mappings.get('flag')?.file).toBe('mappings/profiles/us-core/flag.yaml');
    expect(mercy?.codes['triage']).toEqual({
      name: 'triage',
      system: 'urn:example:triage',
      unmapped: 'report',
      codes: { RED: { code: 'RED' }, YELLOW: {}, WHITE: { code: 'W' } },
    });
  });

  it('may be another site', async () => {
    const all = await read({ 'mercy/site.yaml': MERCY, 'mercy-test/site.yaml': 'extends: mercy\nmode: shadow' });
    expect(named(all, 'mercy-test')).toMatchObject({ kind: 'site', inheritedFrom: ['mercy', 'base'] });
  });

  it('is not base by default: without extends, the missing files are reported', async () => {
    const all = await read({ 'mercy/site.yaml': MERCY.replace('extends: base\n', 'organization: mercy-general\n') });
    expect(said(all)).toEqual(
      [
        'codes.diagnosis: there is no table codes/icd-10.yaml; is extends: base missing?',
        'write.note: there is no mapping composition',
        'write.note: there is no mapping document-reference',
        'write.diagnosis: there is no mapping condition',
        'write.diagnosis: there is no mapping risk-assessment',
        'write.diagnosis: there is no mapping flag',
        'write.provenance: there is no mapping provenance',
      ].map((problem) => `mappings/mercy/site.yaml:1:1: ${problem}`),
    );
  });

  it('is suggested once, at the first missing file, if extends may be missing', async () => {
    const lists =
      'write: { note: [document-reference], diagnosis: [flag], provenance: false }\ncodes: { diagnosis: none }';
    const all = await read({
      'mercy/site.yaml': `${MERCY.replace('base', 'region')}${lists}\norganization: mercy-general\n`,
      'region/site.yaml': 'mode: shadow',
    });
    expect(said(all)).toEqual([
      'mappings/mercy/site.yaml:3:17: write.note: there is no mapping document-reference; is extends: base missing?',
      'mappings/mercy/site.yaml:3:50: write.diagnosis: there is no mapping flag',
    ]);
  });

  it('is not suggested to a site that has files and misspells one', async () => {
    const lists = 'write: { note: [documnt-reference], diagnosis: [], provenance: false }\ncodes: { diagnosis: none }';
    const files = { 'mercy/document-reference.yaml': NOTE };
    expect(
      said(
        await read({
          ...files,
          'mercy/site.yaml': `${MERCY.replace('extends: base\n', 'organization: mercy-general\n')}${lists}`,
        }),
      ),
    ).toEqual([
      'mappings/mercy/site.yaml:3:17: write.note: there is no mapping documnt-reference; did you mean document-reference?',
    ]);
  });

  it('may itself extend no folder', async () => {
    const all = await read({
      'region/site.yaml': 'timeZone: Europe/Madrid\n',
      'mercy/site.yaml': MERCY,
    });
    expect(said(all)).toEqual([]);
    expect(named(all, 'region').site?.settings.timeZone).toBe('Europe/Madrid');
  });

  it('may be the last of ten, and no more', async () => {
    const folder = (index: number) => ({
      [`f${index}/site.yaml`]: index === 0 ? 'extends: base' : `extends: f${index - 1}`,
    });
    const folders = (count: number) => Object.assign({}, ...Array.from({ length: count }, (_, index) => folder(index)));
    expect(said(await read(folders(9)))).toEqual([]);
    expect(said(await read(folders(10)))).toEqual([
      'mappings/f0/site.yaml:1:10: more than 10 folders extend one another: f9 → … → base',
    ]);
  });

  it.each([
    [
      'it does not exist',
      'extends: bsae',
      'mercy/site.yaml:1:10: there is no folder bsae to extend; did you mean base?',
    ],
    [
      'it is a profile',
      'extends: us-core',
      'mercy/site.yaml:1:10: there is no folder us-core to extend; did you mean profiles/us-core?',
    ],
    [
      'it is outside of the directory',
      'extends: ../base',
      'mercy/site.yaml:1:10: extends names a folder beside this one, as in base, or of profiles, as in profiles/us-core',
    ],
    [
      'it is a path',
      'extends: /etc',
      'mercy/site.yaml:1:10: extends names a folder beside this one, as in base, or of profiles, as in profiles/us-core',
    ],
    [
      'it is the folder itself',
      'mode: live\nextends: mercy',
      'mercy/site.yaml:2:10: extends goes in a circle: mercy → mercy',
    ],
    [
      'there are several',
      'extends: [base, other]',
      'mercy/site.yaml:1:10: extends is the name of one folder: base, or profiles/us-core',
    ],
  ])('is refused if %s', async (_title, settings, expected) => {
    const all = await read({ 'mercy/site.yaml': settings, 'profiles/us-core/site.yaml': 'extends: base' });
    expect(said(all)).toEqual([`mappings/${expected}`]);
    expect(named(all, 'mercy').site).toBeUndefined();
  });

  it('is refused if extends goes in a circle, also for folders that only lead there', async () => {
    const all = await read({ 'a/site.yaml': 'extends: b', 'b/site.yaml': 'extends: a', 'c/site.yaml': 'extends: a' });
    expect(said(all)).toEqual([
      'mappings/a/site.yaml:1:10: extends goes in a circle: b → a → b',
      'mappings/b/site.yaml:1:10: extends goes in a circle: a → b → a',
    ]);
    expect(said(named(all, 'c'))).toEqual(['mappings/b/site.yaml:1:10: extends goes in a circle: a → b → a']);
    expect(named(all, 'base').site?.name).toBe('base');
  });

  it('reports its problems once, under its own name, and affects only folders that use it', async () => {
    const all = await read({
      'base/document-reference.yaml': NOTE.replace('status', 'sttaus'),
      'mercy/site.yaml': MERCY,
      'hope/site.yaml': MERCY,
      'own/site.yaml': MERCY,
      'own/document-reference.yaml': NOTE,
    });
    expect(said(all)).toEqual([
      expect.stringMatching(/^mappings\/base\/document-reference\.yaml:1:1: .*status/),
      expect.stringMatching(/^mappings\/base\/document-reference\.yaml:2:1: .*sttaus/),
    ]);
    expect(said(named(all, 'mercy'))).toEqual(said(all));
    expect(named(all, 'hope').site).toBeUndefined();
    expect(named(all, 'own').site?.name).toBe('own');
  });
});

describe('A folder with a problem', () => {
  it.each<[string, Files, readonly string[]]>([
    [
      'it has no settings',
      { 'st-mary/flag.yaml': FLAG },
      [
        'st-mary/site.yaml:1:1: there is no site.yaml: without it this folder is neither a site nor something to extend',
      ],
    ],
    [
      'its settings are empty',
      { 'st-mary/site.yaml': '# soon\n' },
      ['st-mary/site.yaml:1:1: there is nothing in this file'],
    ],
    [
      'its settings are a list',
      { 'st-mary/site.yaml': '- mode: live' },
      ['st-mary/site.yaml:1:1: settings are names with values: mode: live'],
    ],
    [
      'its name has invalid characters',
      { 'St_Mary/site.yaml': MERCY },
      ['St_Mary:1:1: the name of a folder is made of a–z, 0–9 and "-", and begins with a letter or digit: rename it'],
    ],
    [
      'its name is constructor',
      { 'constructor/site.yaml': MERCY },
      [
        'constructor:1:1: the name of a folder is made of a–z, 0–9 and "-", and begins with a letter or digit: rename it',
      ],
    ],
    [
      'a file has another ending',
      { 'st-mary/site.yaml': MERCY, 'st-mary/flag.yml': FLAG },
      ['st-mary/flag.yml:1:1: files that end in .yml are not read: name it flag.yaml'],
    ],
    [
      'a file has another ending, and a name with invalid characters',
      {
        'st-mary/site.yaml': MERCY,
        'st-mary/codes/visit_kinds.yml': 'codes: {}',
        'st-mary/VisitKind.yml': FLAG,
        'st-mary/___.yml': FLAG,
      },
      [
        'st-mary/VisitKind.yml:1:1: files that end in .yml are not read: name it visit-kind.yaml',
        'st-mary/___.yml:1:1: the name of a file is made of a–z, 0–9 and "-", and begins with a letter or digit: rename it',
        'st-mary/codes/visit_kinds.yml:1:1: files that end in .yml are not read: name it visit-kinds.yaml',
      ],
    ],
    [
      'an ending has capitals',
      { 'st-mary/site.yaml': MERCY, 'st-mary/flag.YAML': FLAG },
      ['st-mary/flag.YAML:1:1: write its ending in small letters: flag.yaml'],
    ],
    [
      'settings are JSON',
      { 'st-mary/site.json': '{}', 'st-mary/site.yaml': MERCY },
      ['st-mary/site.json:1:1: settings are a YAML file: name it site.yaml'],
    ],
    [
      'a table is JSON',
      { 'st-mary/codes/x.json': '{}', 'st-mary/site.yaml': MERCY },
      ['st-mary/codes/x.json:1:1: a table of codes is a YAML file: name it x.yaml'],
    ],
    [
      'the name of a file has invalid characters',
      { 'st-mary/site.yaml': MERCY, 'st-mary/Flag v2.yaml': FLAG },
      [
        'st-mary/Flag v2.yaml:1:1: the name of a file is made of a–z, 0–9 and "-", and begins with a letter or digit: rename it',
      ],
    ],
    [
      'a table is named constructor',
      { 'st-mary/site.yaml': MERCY, 'st-mary/codes/constructor.yaml': 'codes: {}' },
      [
        'st-mary/codes/constructor.yaml:1:1: the name of a file is made of a–z, 0–9 and "-", and begins with a letter or digit: rename it',
      ],
    ],
    [
      'two files make one document',
      { 'st-mary/site.yaml': MERCY, 'st-mary/flag.yaml': FLAG, 'st-mary/flag.json': '{"resourceType":"Flag"}' },
      ['st-mary/flag.yaml:1:1: mappings/st-mary/flag.json makes flag too; keep one of them'],
    ],
    [
      'two tables have one name',
      { 'st-mary/site.yaml': MERCY, 'st-mary/codes/a-1.yaml': 'codes: {}', 'st-mary/codes/a1.yaml': 'codes: {}' },
      ['st-mary/codes/a1.yaml:1:1: mappings/st-mary/codes/a-1.yaml is %codes.a1 too; rename one of them'],
    ],
    [
      'a table has the name of the selected one',
      { 'st-mary/site.yaml': MERCY, 'st-mary/codes/diagnosis.yaml': 'codes: {}' },
      [
        'st-mary/codes/diagnosis.yaml:1:1: %codes.diagnosis is the table that codes.diagnosis of site.yaml chooses; rename this one',
      ],
    ],
    [
      'the selected table does not exist',
      { 'st-mary/site.yaml': `${MERCY}codes: { diagnosis: icd-10 }` },
      ['st-mary/site.yaml:3:21: codes.diagnosis: there is no table codes/icd-10.yaml'],
    ],
    [
      'a table that a mapping reads is wrong',
      {
        'st-mary/site.yaml': MERCY,
        'st-mary/flag.yaml': FLAG.replace('triage', 'mine'),
        'st-mary/codes/mine.yaml': 'codes: { RED: { code: 1 } }',
      },
      [
        'st-mary/codes/mine.yaml:1:15: RED has a code and no system; write system: here, or above codes for all of them',
        'st-mary/codes/mine.yaml:1:23: write the code in quotes',
      ],
    ],
    [
      'a table is wrong',
      { 'st-mary/site.yaml': MERCY, 'st-mary/codes/triage.yaml': 'codes: { RED: { code: 1 } }' },
      ['st-mary/codes/triage.yaml:1:23: write the code in quotes'],
    ],
    [
      'a table misspells a key that it inherits',
      { 'st-mary/site.yaml': MERCY, 'st-mary/codes/triage.yaml': 'codes:\n  RED: none\n  YELOW: none' },
      ['st-mary/codes/triage.yaml:3:3: YELOW is no key of the inherited table; did you mean YELLOW?'],
    ],
    [
      'a document of the settings has no mapping',
      { 'st-mary/site.yaml': `${MERCY}write: { note: [document-refrence], diagnosis: [flag] }` },
      [
        'st-mary/site.yaml:3:17: write.note: there is no mapping document-refrence; did you mean document-reference?',
        'st-mary/site.yaml:3:49: write.diagnosis: there is no mapping flag',
      ],
    ],
    [
      'the requested provenance has no mapping',
      { 'st-mary/site.yaml': `${MERCY}write:\n  provenance: true\n  differential: separate-document` },
      [
        'st-mary/site.yaml:4:15: write.provenance: there is no mapping provenance',
        'st-mary/site.yaml:5:17: write.differential: there is no mapping differential',
      ],
    ],
    [
      'a template is missing',
      { 'st-mary/site.yaml': `${MERCY}noteType: { AMB: knee.md }`, 'st-mary/knees.md': '# Knee' },
      ['st-mary/site.yaml:3:18: noteType: there is no template knee.md beside site.yaml; did you mean knees.md?'],
    ],
    [
      'a template is wrong',
      {
        'st-mary/site.yaml': `${MERCY}noteType: { AMB: knee.md }`,
        'st-mary/knee.md': '# Knee\n\n# Knee\n## Dynamic fields\n- good: x\nbad',
      },
      [
        'st-mary/knee.md:1:1: two sections have the key KNEE',
        'st-mary/knee.md:6:1: a dynamic field is a line "- <field_name>: <description>"',
      ],
    ],
    [
      'a template is not UTF-8',
      { 'st-mary/site.yaml': `${MERCY}noteType: { AMB: knee.md }`, 'st-mary/knee.md': Buffer.from([0x23, 0x20, 0xe9]) },
      ['st-mary/knee.md:1:1: this is not UTF-8: save the file with the encoding UTF-8'],
    ],
    [
      'a variable is not set',
      { 'st-mary/site.yaml': `${MERCY}events: { push: { secret: "\${ST_MARY}" } }` },
      ['st-mary/site.yaml:3:28: site st-mary needs the environment variable ST_MARY (${ST_MARY}), and it is not set'],
    ],
    [
      'a secret file does not exist',
      { 'st-mary/site.yaml': `${MERCY}events: { push: { secret: "\${file:../../gone}" } }` },
      ['st-mary/site.yaml:3:28: site st-mary needs the file ../../gone (${file:../../gone}), and it is not there'],
    ],
    [
      'a secret file is empty',
      { 'st-mary/site.yaml': `${MERCY}events: { push: { secret: "\${file:push}" } }`, 'st-mary/push': '\n' },
      ['st-mary/site.yaml:3:28: site st-mary needs the file push (${file:push}), and it is empty'],
    ],
    [
      'a secret file is large',
      {
        'st-mary/site.yaml': `${MERCY}events: { push: { secret: "\${file:push}" } }`,
        'st-mary/push': 'x'.repeat(65_537),
      },
      ['st-mary/site.yaml:3:28: site st-mary needs the file push (${file:push}), and it is larger than 64 KiB'],
    ],
    [
      'a secret file is a folder',
      { 'st-mary/site.yaml': `${MERCY}events: { push: { secret: "\${file:push}" } }`, 'st-mary/push/a': 'x' },
      ['st-mary/site.yaml:3:28: site st-mary needs the file push (${file:push}), and it is no ordinary file'],
    ],
    [
      'a document does not show the AI notice',
      { 'st-mary/site.yaml': MERCY, 'st-mary/document-reference.yaml': NOTE.replace('%notice & ', '') },
      ['st-mary/document-reference.yaml:1:1: this document does not show the AI notice: put %notice first in its text'],
    ],
    [
      'an expression is wrong',
      { 'st-mary/site.yaml': MERCY, 'st-mary/document-reference.yaml': NOTE.replace('%note.text', '%note.txet') },
      ['st-mary/document-reference.yaml:4:65: %note.txet is not known here; did you mean %note.text?'],
    ],
  ])('is refused, and no other folder with it, if %s', async (_title, files, expected) => {
    expect(await problemsBesideMercy(files)).toEqual(expected.map((problem) => `mappings/${problem}`));
  });

  it('is refused if there are more than 500 files in it', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`st-mary/d${index}.yaml`, 'x']));
    expect(await problemsBesideMercy({ ...many, 'st-mary/site.yaml': MERCY })).toEqual([
      'mappings/st-mary:1:1: there are more than 500 files in this folder',
    ]);
  });

  it.each([
    [
      'a file is a folder',
      async (folder: string) => mkdir(join(folder, 'flag.yaml')),
      'flag.yaml:1:1: this is a folder, where a file is expected',
    ],
    [
      'a link has no target',
      async (folder: string) => symlink('nowhere', join(folder, 'flag.yaml')),
      'flag.yaml:1:1: this file is not there',
    ],
    [
      'a link leads in a circle',
      async (folder: string) => symlink('flag.yaml', join(folder, 'flag.yaml')),
      'flag.yaml:1:1: this file cannot be read (ELOOP)',
    ],
    [
      'a link leads out of the directory',
      async (folder: string) => {
        await writeFile(join(folder, '../../outside.yaml'), FLAG);
        await symlink('../../outside.yaml', join(folder, 'flag.yaml'));
      },
      'flag.yaml:1:1: this link leads out of the mappings folder: put the file itself here',
    ],
    [
      'the folder of its codes cannot be read',
      async (folder: string) => symlink('codes', join(folder, 'codes')),
      ':1:1: this folder cannot be read (ELOOP)',
    ],
    [
      'a file never ends',
      async (folder: string) => symlink('/dev/zero', join(folder, 'flag.yaml')),
      'flag.yaml:1:1: this link leads out of the mappings folder: put the file itself here',
    ],
  ])('is refused on disk if %s', async (_title, make, expected) => {
    await using made = await aMappingsDirectory(SMALL_BASE, { 'mercy/site.yaml': MERCY, 'st-mary/site.yaml': MERCY });
    await make(join(made.directory, 'st-mary'));
    const all = await readFolders({ directory: made.directory, environment: {} });
    expect(said(all)).toEqual([`mappings/st-mary${expected.startsWith(':') ? '' : '/'}${expected}`]);
    expect(named(all, 'mercy').site?.name).toBe('mercy');
  });

  it('is refused without a wait if a file is a pipe', async () => {
    const settings = `${MERCY}events: { push: { secret: "\${file:push}" } }`;
    await using made = await aMappingsDirectory(SMALL_BASE, { 'st-mary/site.yaml': settings });
    for (const name of ['flag.yaml', 'push']) execFileSync('/usr/bin/mkfifo', [join(made.directory, 'st-mary', name)]);
    expect(said(await readFolders({ directory: made.directory, environment: {} }))).toEqual([
      'mappings/st-mary/flag.yaml:1:1: this file is no ordinary file',
      'mappings/st-mary/site.yaml:3:28: site st-mary needs the file push (${file:push}), and it is no ordinary file',
    ]);
  });

  it('is refused if it is a link out of the directory', async () => {
    await using made = await aMappingsDirectory(SMALL_BASE, { '../elsewhere/site.yaml': MERCY });
    await symlink('../elsewhere', join(made.directory, 'st-mary'));
    expect(said(await readFolders({ directory: made.directory, environment: {} }))).toEqual([
      'mappings/st-mary:1:1: this link leads out of the mappings folder: put the files themselves here',
    ]);
  });
});

describe('Links inside of the directory', () => {
  it('are followed, such as those that Kubernetes makes', async () => {
    await using made = await aMappingsDirectory(SMALL_BASE, { 'mercy/..data/site.yaml': MERCY });
    await symlink('..data/site.yaml', join(made.directory, 'mercy/site.yaml'));
    await symlink('mercy', join(made.directory, 'hope'));
    const all = await readFolders({ directory: made.directory, environment: {} });
    expect(said(all)).toEqual([]);
    expect(all.folders.map(({ name, kind }) => [name, kind])).toEqual([
      ['base', 'base'],
      ['hope', 'site'],
      ['mercy', 'site'],
    ]);
  });
});

describe('Hostile files', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'.split('').map((name, index) => {
      const before = 'abcdefgh'[index];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
    }),
  ].join('\n');

  const hostile: readonly [string, string | Uint8Array][] = [
    ['aliases grow exponentially', bomb],
    ['an anchor contains itself', 'resourceType: &a [*a]'],
    ['a key is repeated', 'resourceType: Flag\nresourceType: Flag'],
    ['lines begin with tabs', 'resourceType: Flag\ncode:\n\ttext: x'],
    ['it is 10 MB large', `# ${'x'.repeat(10_485_760)}`],
    ['it is not UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe])],
    ['a key is __proto__', '__proto__: { status: active }'],
    ['it is nested too deeply', '['.repeat(100_000)],
    ['it has two documents', 'a: 1\n---\nb: 2'],
    ['it has a tag', 'a: !!js/function "function () {}"'],
    ['it is cut', 'resourceType: "Fla'],
    ['it is binary', Buffer.from([0, 1, 2, 3])],
  ];

  it.each(
    hostile.flatMap(([title, content]) =>
      ['site.yaml', 'flag.yaml', 'codes/triage.yaml'].map((file) => [title, file, content] as const),
    ),
  )('are refused with a position, without harm to other sites, if %s, in %s', async (_title, file, content) => {
    const problems = await problemsBesideMercy({ 'st-mary/site.yaml': MERCY, [`st-mary/${file}`]: content });
    expect(problems).not.toEqual([]);
    for (const problem of problems)
      expect(problem).toMatch(new RegExp(`^mappings/st-mary/${file}:\\d+:\\d+: .{10,300}$`));
  });
});

describe('The templates of a site', () => {
  it('are loaded with it unchanged, its own or inherited', async () => {
    const all = await read({
      'base/hip.md': '# Hip\nhow it moves\n',
      'mercy/site.yaml': `${MERCY}noteType: { AMB: knee.md, IMP: hip.md, VR: knee.md }\n`,
      'mercy/knee.md': '# Knee\n',
      'mercy/unused.md': 'no template at all',
    });
    expect(said(all)).toEqual([]);
    expect(named(all, 'mercy').site?.templates).toEqual(
      new Map([
        ['knee.md', '# Knee\n'],
        ['hip.md', '# Hip\nhow it moves\n'],
      ]),
    );
  });
});

describe('A folder that is not the site that its author means', () => {
  it('is reported if it has a mode and no address of an EHR', async () => {
    const all = await read({ 'mercy/site.yaml': 'extends: base\nmode: live\n' });
    expect(said(all)).toEqual([
      expect.stringMatching(/^mappings\/mercy\/site\.yaml:2:7: mode is live, and there is no ehr\.baseUrl, so that/),
    ]);
    expect(named(all, 'mercy')).toMatchObject({ kind: 'folder', isUnclear: true });
  });

  it('is no mistake if another folder extends it, or if the site is off', async () => {
    const all = await read({
      'region/site.yaml': 'extends: base\nmode: live\n',
      'mercy/site.yaml': MERCY.replace('base', 'region'),
      'hope/site.yaml': 'extends: base\nmode: off\n',
    });
    expect(said(all)).toEqual([]);
  });

  it('is a site that works and is warned of without an organization', async () => {
    const base = SMALL_BASE['base/site.yaml']?.toString().replace('organization: mercy-general\n', '') ?? '';
    const all = await read({ 'base/site.yaml': base, 'mercy/site.yaml': MERCY });
    expect(said(all)).toEqual([]);
    expect(named(all, 'mercy').site?.settings.organization).toBeUndefined();
    expect(named(all, 'mercy').warnings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^organization is missing, .* organization: mercy$/) }),
    ]);
  });
});

describe('A mappings directory with sites alone', () => {
  const SHIPPED: Files = {
    ...SMALL_BASE,
    'profiles/us-core/site.yaml': 'extends: base\ntimeZone: America/Chicago\n',
    'other/site.yaml': MERCY,
  };
  const readWith = async (own: Files, parts: Partial<ReadFoldersParts> = {}) => {
    await using shipped = await aMappingsDirectory(SHIPPED);
    await using made = await aMappingsDirectory(own);
    return await readFolders({ ...made, environment: {}, shipped: shipped.directory, ...parts });
  };

  it('gets base and profiles from the engine, and nothing else of it', async () => {
    const all = await readWith({ 'mercy/site.yaml': MERCY.replace('base', 'profiles/us-core') });
    expect(said(all)).toEqual([]);
    expect(all.folders.map(({ name }) => name)).toEqual(['mercy']);
    expect(named(all, 'mercy').inheritedFrom).toEqual(['profiles/us-core', 'base']);
    expect(named(all, 'mercy').site?.settings.timeZone).toBe('America/Chicago');
    expect(named(all, 'mercy').site?.mappings.get('document-reference')?.file).toBe(
      'shipped/base/document-reference.yaml',
    );
    expect(said(await readWith({ 'mercy/site.yaml': MERCY.replace('base', 'other') }))).toEqual([
      'mappings/mercy/site.yaml:1:10: there is no folder other to extend',
    ]);
  });

  it('keeps its own base under a profile of the engine', async () => {
    const base = { ...SMALL_BASE, 'base/flag.yaml': FLAG };
    const all = await readWith({ ...base, 'mercy/site.yaml': MERCY.replace('base', 'profiles/us-core') });
    expect(said(all)).toEqual([]);
    expect(named(all, 'mercy').site?.mappings.has('flag')).toBe(true);
  });

  it('does not get another base for its own one that has disappeared', async () => {
    const all = await readWith({ 'mercy/site.yaml': MERCY }, { seen: new Set(['base']) });
    expect(said(all)).toEqual(['mappings/mercy/site.yaml:1:10: there is no folder base to extend']);
  });
});

describe('A check without secrets', () => {
  const settings = `${MERCY}events: { push: { secret: "\${MERCY_PUSH}" } }\n`.replace(
    'https://ehr.example.org/fhir',
    '"${MERCY_EHR}"',
  );
  const readWithout = async (text: string) => {
    await using made = await aMappingsDirectory(SMALL_BASE, { 'mercy/site.yaml': text });
    return await readFolders({ directory: made.directory, environment: {}, mayLackSecrets: true });
  };

  it('warns of each missing variable with its name, and loads the site', async () => {
    const all = await readWithout(settings);
    expect(said(all)).toEqual([]);
    const mercy = named(all, 'mercy');
    expect(mercy.site?.mappings.size).toBe(1);
    expect(mercy.warnings.map(describeProblem)).toEqual([
      'mappings/mercy/site.yaml:2:18: site mercy needs the environment variable MERCY_EHR (${MERCY_EHR}), and it is not set',
      'mappings/mercy/site.yaml:3:28: site mercy needs the environment variable MERCY_PUSH (${MERCY_PUSH}), and it is not set',
    ]);
  });

  it('still refuses a reference that can never be right', async () => {
    expect(said(await readWithout(settings.replace('MERCY_PUSH', 'MASTER_KEY')))).toEqual([
      expect.stringContaining("MASTER_KEY is the engine's own"),
    ]);
  });
});

describe('The warnings of a folder', () => {
  const settings = `${MERCY}events: { amqp: { exchange: ehr.events, bindings: ["#"] } }\n`;
  const warningsWith = async (environment: Readonly<Record<string, string>>, more: Files = {}) => {
    await using made = await aMappingsDirectory(SMALL_BASE, { 'mercy/site.yaml': settings }, more);
    const { folders } = await readFolders({ directory: made.directory, environment });
    return folders.flatMap(({ warnings }) => warnings.map(describeProblem));
  };

  it('name the line that listens to RabbitMQ if AMQP_URL is not set', async () => {
    expect(await warningsWith({})).toEqual([
      'mappings/mercy/site.yaml:3:17: mercy listens to RabbitMQ, and AMQP_URL is not set: no event can arrive from there',
    ]);
    expect(await warningsWith({ AMQP_URL: 'amqp://127.0.0.1' })).toEqual([]);
  });

  it('do not mention a site that is off', async () => {
    expect(await warningsWith({}, { 'mercy/site.yaml': `${settings}mode: off\n` })).toEqual([]);
  });

  it.each([
    [
      'section',
      '[]',
      [
        'mappings/mercy/site.yaml:3:22: write.provenance: section needs composition in write.note: without it the Provenance is of documents only',
      ],
    ],
    ['true', '[]', []],
    ['statement', '[composition]', []],
  ])('tell whether a Provenance of %s has parts to point to with the notes %s', async (provenance, note, expected) => {
    const mapping = 'resourceType: Basic\ncode: { text: "{{ %notice }}" }\n';
    const base = { 'base/composition.yaml': mapping, 'base/provenance.yaml': mapping };
    const site = `${MERCY}write: { provenance: ${provenance}, note: ${note} }\n`;
    expect(await warningsWith({}, { ...base, 'mercy/site.yaml': site })).toEqual(expected);
  });
});

describe('The secrets of a site', () => {
  it('come from the environment and from files beside it, without the line end that editors add', async () => {
    const all = await read({
      'mercy/site.yaml': `extends: base
ehr:
  baseUrl: https://ehr.example.org
  auth: { type: basic, username: "\${MERCY_SECRET}", password: "\${file:secrets/password}" }
`,
      'mercy/secrets/password': 'hunter2\r\n',
    });
    expect(named(all, 'mercy').site?.settings.ehr?.auth).toEqual({
      type: 'basic',
      username: 'swordfish',
      password: 'hunter2',
    });
  });

  it('are read beside the site, even if an inherited line names them', async () => {
    const all = await read({
      'base/site.yaml': `${SMALL_BASE['base/site.yaml']}events: { push: { secret: "\${file:push}" } }\n`,
      'mercy/site.yaml': MERCY,
      'mercy/push': 'of mercy',
      'hope/site.yaml': MERCY,
    });
    expect(named(all, 'mercy').site?.settings.events.push?.secret).toBe('of mercy');
    expect(said(all)).toEqual([
      'mappings/base/site.yaml:5:28: site hope needs the file push (${file:push}), and it is not there',
    ]);
  });
});

describe('The site for trials', () => {
  const silent = { 'sandbox/site.yaml': MERCY, 'sandbox/document-reference.yaml': NOTE.replace('%notice & ', '') };

  it('is the only site that may write notes without the AI notice', async () => {
    await using made = await aMappingsDirectory(SMALL_BASE, silent);
    const { directory } = made;
    const all = await readFolders({ directory, environment: ENVIRONMENT, trialSite: 'sandbox' });
    expect([said(all), named(all, 'sandbox').site?.isTrial]).toEqual([[], true]);
  });

  it('is chosen by the engine: a folder of that name alone must show the AI notice', async () => {
    expect(said(await read(silent))).toEqual([expect.stringContaining('this document does not show the AI notice')]);
  });
});

describe('The mode of a site', () => {
  const isDefault = async (files: Files) => {
    const all = await read({ 'mercy/site.yaml': MERCY, ...files });
    expect(said(all)).toEqual([]);
    return named(all, 'mercy').site?.isModeDefault ?? false;
  };
  const profile = { 'mercy/site.yaml': MERCY.replace('extends: base', 'extends: profiles/x') };

  it('is a default if only the base or the engine says it', async () => {
    expect(await isDefault({})).toBe(true);
    expect(await isDefault({ 'base/site.yaml': `${SMALL_BASE['base/site.yaml']}`.replace('mode: live\n', '') })).toBe(
      true,
    );
    expect(await isDefault({ ...profile, 'profiles/x/site.yaml': 'extends: base\n' })).toBe(true);
  });

  it('is no default if the site or its profile says it', async () => {
    expect(await isDefault({ 'mercy/site.yaml': `${MERCY}mode: shadow\n` })).toBe(false);
    expect(await isDefault({ ...profile, 'profiles/x/site.yaml': 'extends: base\nmode: shadow\n' })).toBe(false);
  });
});

describe('The version of a site', () => {
  const versionOf = async (files: Files, environment = ENVIRONMENT) => {
    await using made = await aMappingsDirectory(
      SMALL_BASE,
      { 'mercy/site.yaml': MERCY, 'hope/site.yaml': MERCY },
      files,
    );
    const all = await readFolders({ directory: made.directory, environment });
    expect(said(all)).toEqual([]);
    return named(all, 'mercy').site?.version;
  };

  it('is the same for the same files in any directory', async () => {
    expect(await versionOf({})).toBe(await versionOf({}));
    expect(await versionOf({})).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not change with files of others', async () => {
    const before = await versionOf({});
    expect(await versionOf({ 'hope/flag.yaml': FLAG, 'mercy/README.md': 'x', 'mercy/tests/a/input.yaml': 'x' })).toBe(
      before,
    );
  });

  it.each<[string, Files]>([
    ['settings', { 'mercy/site.yaml': `${MERCY}# a comment\n` }],
    ['a mapping of its own', { 'mercy/flag.yaml': FLAG }],
    ['an inherited mapping', { 'base/document-reference.yaml': `${NOTE}# a comment\n` }],
    ['an inherited table', { 'base/codes/triage.yaml': 'codes: { RED: none }' }],
    ['inherited settings', { 'base/site.yaml': `${SMALL_BASE['base/site.yaml']}# a comment\n` }],
  ])('changes with %s', async (_title, files) => {
    expect(await versionOf(files)).not.toBe(await versionOf({}));
  });

  it('does not change with a secret: it is written in the chart, so it must not help to guess the secret', async () => {
    const files = { 'mercy/site.yaml': `${MERCY}events: { push: { secret: "\${MERCY_SECRET}" } }` };
    expect(await versionOf(files, { MERCY_SECRET: 'a' })).toBe(await versionOf(files, { MERCY_SECRET: 'b' }));
  });
});
