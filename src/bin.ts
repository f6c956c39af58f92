#!/usr/bin/env node
// The command of the package: `chartwright start` (or no argument) starts the engine, anything else is the command line. The first
// start in a folder puts the mappings that come with the engine there, so that a site can be added beside them.
import { cpSync, existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import path from 'node:path';

const SHIPPED_MAPPINGS = path.join(import.meta.dirname, '../mappings');

enableCompileCache();
const command = process.argv[2] ?? 'start';
if (command === 'start' || command === 'mappings') ensureMappings();
await (command === 'start' ? import('./main.ts') : import('./cli/main.ts'));

function ensureMappings(): void {
  if ((process.env['MAPPINGS_DIR'] ?? '') !== '' || existsSync('mappings') || existsSync('.env')) return;
  cpSync(SHIPPED_MAPPINGS, 'mappings', { recursive: true });
  process.stderr.write(`The mappings that come with the engine were copied to ${path.resolve('mappings')}\n`);
}
