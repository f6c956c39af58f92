// mappings: check, test, preview and make the files that say what is written to a chart. No engine is needed. What these commands
// do is only loaded when one of them runs: the other commands start without FHIR.
import type { Command } from 'commander';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, examples } from '../shared/command-parts.ts';

/** What each of these commands is given. */
export type MappingsParts = Pick<CommandParts, 'environment' | 'print' | 'warn' | 'terminal' | 'wantsJson'> & {
  /** As it was given: what people see in messages. */
  readonly directory: string;
};

export type PreviewOptions = {
  readonly input: string;
  readonly site?: string;
  readonly document?: string;
  readonly mapping?: string;
  readonly lineage?: boolean;
  readonly validate?: boolean;
  readonly strict: boolean;
};

type GivenPreviewOptions = Omit<PreviewOptions, 'input'> & { readonly input?: string };

export function addMappingsCommand(program: Command, commandParts: CommandParts): void {
  const mappings = program
    .command('mappings')
    .description('check, test, preview and make the files that say what is written to a chart')
    .option('--dir <folder>', 'where they lie (default: MAPPINGS_DIR, else mappings)')
    .addHelpText(
      'after',
      examples(
        'npm run cli -- mappings new mercy --from us-core',
        'npm run cli -- mappings check',
        'npm run cli -- mappings test mercy',
        'npm run cli -- mappings preview --mapping note.yaml --input example.json',
      ),
    );
  const parts = (): MappingsParts => ({ ...commandParts, directory: directoryOf(mappings, commandParts) });
  addCheck(mappings, parts);
  addTest(mappings, parts);
  addPreview(mappings, parts);
  addNew(mappings, parts);
}

function directoryOf(mappings: Command, { environment }: CommandParts): string {
  const given: unknown = mappings.opts()['dir'];
  const directory = (typeof given === 'string' && given.trim()) || environment['MAPPINGS_DIR']?.trim() || 'mappings';
  return directory.length > 1 ? directory.replace(/[/\\]+$/, '') : directory;
}

type Given = () => MappingsParts;

function addCheck(mappings: Command, parts: Given): void {
  mappings
    .command('check [site]')
    .description('say what is wrong with the files, each with its place; all folders, or one with what it inherits')
    .addHelpText(
      'after',
      examples(
        'npm run cli -- mappings check',
        'npm run cli -- mappings check mercy',
        'npm run --silent cli -- --json mappings check',
      ),
    )
    .action(async (site: string | undefined) => {
      const { checkMappings } = await import('./mappings-check.ts');
      await checkMappings({ ...parts(), site });
    });
}

function addTest(mappings: Command, parts: Given): void {
  mappings
    .command('test [site]')
    .description('map the input of each golden test, and show what differs from what was expected')
    .option('--update', 'take what is made now as what is expected; shows it and asks first')
    .option('--yes', 'with --update: write without asking')
    .addHelpText(
      'after',
      `${examples(
        'npm run cli -- mappings test',
        'npm run cli -- mappings test mercy',
        'npm run cli -- mappings test mercy --update',
      )}
A golden test is a folder: <site>/tests/<case>/input.yaml, and in expected/ a JSON file for each document.
A new one needs only its input.yaml: --update writes the rest.`,
    )
    .action(async (site: string | undefined, options: { readonly update?: boolean; readonly yes?: boolean }) => {
      const { testMappings } = await import('./mappings-test.ts');
      await testMappings({ ...parts(), site, wantsUpdate: options.update === true, isAgreed: options.yes === true });
    });
}

function addPreview(mappings: Command, parts: Given): void {
  mappings
    .command('preview')
    .description('show what a mapping makes of an input: of a site, or of any file')
    .option('--site <name>', 'the folder whose mappings are used')
    .option('--document <name>', 'with --site: only this one, as in composition (default: all that it writes)')
    .option('--mapping <file>', 'any mapping, in place of a site’s')
    .option('--input <file>', 'YAML or JSON; - for standard input. With --mapping its top-level keys are the variables')
    .option('--lineage', 'also show which line made each element, and what it read')
    .option('--validate', 'also check that what is made is good FHIR')
    .option('--no-strict', 'with --mapping: names without % read the input')
    .addHelpText(
      'after',
      examples(
        'npm run cli -- mappings preview --site mercy --document composition --input mappings/base/tests/clinic/input.yaml',
        'npm run cli -- mappings preview --mapping note.yaml --input example.json --lineage',
        'npm run --silent cli -- --json mappings preview --mapping note.yaml --input - < example.json',
      ),
    )
    .action(async ({ input, ...options }: GivenPreviewOptions) => {
      if (options.mapping === undefined && options.site === undefined) {
        throw new CliError(
          'Say what to preview: --site <name> with --document <name>, or --mapping <file>; and --input <file>.',
        );
      }
      if (options.mapping !== undefined && (options.site !== undefined || options.document !== undefined)) {
        throw new CliError('--mapping is any file, and --site and --document are of a site: give one or the other.');
      }
      if (input === undefined) throw new CliError('Say what to map: --input <file>, or --input - for standard input.');
      const { previewMappings } = await import('./mappings-preview.ts');
      await previewMappings({ ...parts(), ...options, input });
    });
}

function addNew(mappings: Command, parts: Given): void {
  mappings
    .command('new <site>')
    .description('make the folder of a site, to be changed to what the hospital wants')
    .option('--from <profile>', 'what to start from: a folder of profiles/')
    .addHelpText(
      'after',
      examples(
        'npm run cli -- mappings new mercy --from us-core',
        'npm run cli -- mappings new mercy --from epic-like',
      ),
    )
    .action(async (site: string, { from }: { readonly from?: string }) => {
      const { makeSite } = await import('./mappings-new.ts');
      await makeSite({ ...parts(), site, profile: from });
    });
}
