// Tests docs/security.md and docs/upgrading.md against the program: the table of permissions, the roles, the commands and the links are true.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { makeProgram } from '../../src/cli/program.ts';
import { AUDIT_ACTIONS } from '../../src/domain/access/audit-action.ts';
import { PERMISSIONS, WITHOUT_PATIENT_DATA } from '../../src/domain/people/permissions.ts';
import { PURPOSE_NAMES } from '../../src/domain/people/purpose.ts';
import { ROLE_PURPOSES, ROLES, type Role } from '../../src/domain/people/role.ts';

const DOCS = path.join(import.meta.dirname, '../../docs');
const pages = ['security.md', 'upgrading.md'].map(
  (name) => [name, readFileSync(path.join(DOCS, name), 'utf8')] as const,
);
const [[, security] = ['', '']] = pages;

/** The cells of the table whose first column has this title. */
function rowsOf(title: string): readonly (readonly string[])[] {
  const [, table = ''] = security.split(new RegExp(`^(?=\\| ${title} \\|)`, 'm'));
  const [, , ...lines] = (table.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

describe('the table of permissions in docs/security.md', () => {
  const rows = new Map(rowsOf('endpoint').map(([endpoint = '', ...cells]) => [endpoint, cells]));

  it('has a row for each endpoint, and two for extensions', () => {
    expect(rows.size).toBe(Object.keys(PERMISSIONS).length + 2);
  });

  it.each(Object.entries(PERMISSIONS))('says of %s who is admitted', (endpoint, permission) => {
    const [method = '', pattern = ''] = endpoint.split(' ');
    const shown = pattern.replace(/\{\/\w+\}/, '').replace(/:(\w+)/g, '{$1}');
    const cells = rows.get(`\`${method} /ops${shown}\``) ?? [];
    const { roles, patientData, reach, isForLoneKey = false, isForPeople = false } = permission;
    const wanted = (role: Role) => {
      if (!roles.includes(role)) return '';
      return patientData === 'unless-brief' && WITHOUT_PATIENT_DATA.has(role) ? 'brief' : 'yes';
    };
    expect(cells.slice(0, ROLES.length)).toEqual(ROLES.map(wanted));
    expect(cells[ROLES.length]).toBe(isForLoneKey ? 'yes' : '');
    expect(cells[ROLES.length + 1]?.startsWith('yes')).toBe(patientData !== 'none');
    const far = reach === 'engine' ? 'every site' : 'its sites';
    expect(cells.at(-1)).toBe(isForPeople ? `${far}; people only` : far);
  });
});

describe('docs/security.md', () => {
  it('says what each role is for', () => {
    expect(rowsOf('role')).toEqual(ROLES.map((role) => [`**${role}**`, ROLE_PURPOSES[role]]));
  });

  it('names each purpose', () => {
    expect(rowsOf('code')).toEqual(Object.entries(PURPOSE_NAMES).map(([code, name]) => [`\`${code}\``, name]));
  });

  it('names only actions that the audit trail has', () => {
    const named = [...security.matchAll(/`((?:person|token|session|chart|review)\.[\w-]+)`/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !AUDIT_ACTIONS.some((action) => action === name))).toEqual([]);
  });
});

describe.each(pages)('the links of docs/%s', (_, page) => {
  it('lead to pages and sections that exist', () => {
    const links = [...page.matchAll(/\]\(([^)#]*)(?:#([^)]*))?\)/g)].map(([, file = '', section]) => ({
      file,
      section,
    }));
    const broken = links.filter(({ file, section }) => {
      const target = path.join(DOCS, file);
      if (file !== '' && !existsSync(target)) return true;
      const text = file === '' ? page : readFileSync(target, 'utf8');
      return section !== undefined && !anchorsOf(text).includes(section);
    });
    expect(links.length).toBeGreaterThan(1);
    expect(broken).toEqual([]);
  });
});

function anchorsOf(page: string): readonly string[] {
  const titles = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

const quiet = () => undefined;
const terminal = {
  isColored: false,
  ask: undefined,
  input: Readable.from([]),
  tellProgress: undefined,
  catchInterrupt: () => ({ signal: new AbortController().signal, stop: quiet }),
};
const program = makeProgram({ environment: {}, print: quiet, warn: quiet, terminal, now: () => new Date() });

type Command = (typeof program)['commands'][number];

/** The command that the words begin with, and the words after its name. */
function commandOf(words: readonly string[], command: Command = program): readonly [Command, readonly string[]] {
  const [first, ...rest] = words;
  const found = command.commands.find((one) => one.name() === first);
  return found === undefined ? [command, words] : commandOf(rest, found);
}

describe.each(pages)('the commands of docs/%s', (_, page) => {
  const typed = [...page.matchAll(/`npm run cli -- ([^`]+)`/g)].map(([, line = '']) => line);

  it('are many: the test finds them', () => {
    expect(typed.length).toBeGreaterThan(3);
  });

  it.each(typed)('%s exists with its options', (line) => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
    const [command, rest] = commandOf(words);
    const options = rest.filter((word) => word.startsWith('--'));
    expect(command.commands).toEqual([]);
    expect(options.filter((option) => !command.options.some(({ long }) => long === option))).toEqual([]);
  });
});
