import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readDefaultSettings } from '../../../src/outbound/files/default-settings.ts';

it('the limits for work that belongs to no site are those of mappings/base', () => {
  const base = parse(readFileSync('mappings/base/site.yaml', 'utf8')) as { readonly check: unknown };
  expect(readDefaultSettings().check).toEqual(base.check);
});
