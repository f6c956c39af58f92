// The settings of a site whose files say nothing, for work that belongs to no site.
import type { SiteSettings } from '../../domain/site/site.ts';
import { DEFAULTS_FILE } from './site-defaults.ts';
import { readSiteSettings } from './site-settings.ts';

export function readDefaultSettings(): SiteSettings {
  const secrets = { environment: {}, files: new Map<string, never>() };
  const { settings } = readSiteSettings({ name: 'base', file: DEFAULTS_FILE, trees: [], secrets });
  if (settings === undefined) throw new Error('the built-in defaults are no valid settings');
  return settings;
}
