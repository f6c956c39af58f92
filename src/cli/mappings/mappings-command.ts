// The command `mappings` checks, tests, previews and creates the files that define what is written to a chart, without an engine. The
// code of its subcommands is loaded when one runs, so that other commands start without FHIR.
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import type { CommandParts } from '../shared/command-parts.ts';
import type { MappingsParts, PreviewOptions } from './mappings-parts.ts';

type GivenPreviewOptions = Omit<PreviewOptions, 'input'> & { readonly input?: string };

export function addMappingsCommand(program: CliCommand, commandParts: CommandParts): void {
  const mappings = program
    .command('mappings')
    .description('check, test, preview and create the files that define what is written to a chart')
    .option('--dir <folder>', 'folder of the mappings (default: MAPPINGS_DIR, else mappings)')
    .examples(
      'npm run cli -- mappings new mercy --from us-core',
      'npm run cli -- mappings check',
      'npm run cli -- mappings test mercy',
      'npm run cli -- mappings preview --mapping note.yaml --input example.json',
    );
  const parts = (): MappingsParts => ({ ...commandParts, directory: directoryOf(mappings, commandParts) });
  addCheck(mappings, parts);
  addTest(mappings, parts);
  addPreview(mappings, parts);
  addNew(mappings, parts);
}

function directoryOf(mappings: CliCommand, { environment }: CommandParts): string {
  const given: unknown = mappings.opts()['dir'];
  const directory = (typeof given === 'string' && given.trim()) || environment['MAPPINGS_DIR']?.trim() || 'mappings';
  return directory.length > 1 ? directory.replace(/[/\\]+$/, '') : directory;
}

type ReadParts = () => MappingsParts;

function addCheck(mappings: CliCommand, parts: ReadParts): void {
  mappings
    .command('check [site]')
    .description('report mistakes in the files with their places; all folders, or one with those it inherits from')
    .examples(
      'npm run cli -- mappings check',
      'npm run cli -- mappings check mercy',
      'npm run --silent cli -- --json mappings check',
    )
    .action(async (site: string | undefined) => {
      const { checkMappings } = await import('./mappings-check.ts');
      await checkMappings({ ...parts(), site });
    });
}

function addTest(mappings: CliCommand, parts: ReadParts): void {
  mappings
    .command('test [site]')
    .description('map the input of each golden test, and show differences from the expected documents')
    .option('--update', 'accept the current documents as expected; shows the differences and asks first')
    .option('--yes', 'with --update: write without asking')
    .examples(
      'npm run cli -- mappings test',
      'npm run cli -- mappings test mercy',
      'npm run cli -- mappings test mercy --update',
    )
    .remarks(`A golden test is a folder: <site>/tests/<case>/input.yaml, and in expected/ a JSON file for each document.
A new one needs only its input.yaml: --update writes the rest.`)
    .action(async (site: string | undefined, options: { readonly update?: boolean; readonly yes?: boolean }) => {
      const { testMappings } = await import('./mappings-test.ts');
      await testMappings({ ...parts(), site, wantsUpdate: options.update === true, isAgreed: options.yes === true });
    });
}

function addPreview(mappings: CliCommand, parts: ReadParts): void {
  mappings
    .command('preview')
    .description('show what a site’s mappings, or any mapping file, make of an input')
    .option('--site <name>', 'the folder whose mappings are used')
    .option(
      '--document <name>',
      'with --site: only this document, as in composition (default: all that the site writes)',
    )
    .option('--mapping <file>', 'a mapping file, instead of a site’s mappings')
    .option('--input <file>', 'YAML or JSON; - for standard input. With --mapping its top-level keys are the variables')
    .option('--lineage', 'also show which line made each element, and what that line read')
    .option('--validate', 'also validate the documents as FHIR')
    .option('--no-strict', 'with --mapping: names without % read the input')
    .examples(
      'npm run cli -- mappings preview --site mercy --document composition --input mappings/base/tests/clinic/input.yaml',
      'npm run cli -- mappings preview --mapping note.yaml --input example.json --lineage',
      'npm run --silent cli -- --json mappings preview --mapping note.yaml --input - < example.json',
    )
    .action(async ({ input, ...options }: GivenPreviewOptions) => {
      if (options.mapping === undefined && options.site === undefined) {
        throw new CliError(
          'Select what to preview: --site <name> with --document <name>, or --mapping <file>; and --input <file>.',
        );
      }
      if (options.mapping !== undefined && (options.site !== undefined || options.document !== undefined)) {
        throw new CliError('--mapping is any file, and --site and --document are of a site: give one or the other.');
      }
      if (input === undefined) throw new CliError('Name the input: --input <file>, or --input - for standard input.');
      const { previewMappings } = await import('./mappings-preview.ts');
      await previewMappings({ ...parts(), ...options, input });
    });
}

function addNew(mappings: CliCommand, parts: ReadParts): void {
  mappings
    .command('new <site>')
    .description('create the folder of a site from a profile')
    .option('--from <profile>', 'the profile: a folder of profiles/')
    .examples('npm run cli -- mappings new mercy --from us-core', 'npm run cli -- mappings new mercy --from epic-like')
    .action(async (site: string, { from }: { readonly from?: string }) => {
      const { makeSite } = await import('./mappings-new.ts');
      await makeSite({ ...parts(), site, profile: from });
    });
}
