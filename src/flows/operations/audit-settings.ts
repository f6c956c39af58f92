// Records in the audit trail which settings and mappings of a site came into force, and when. The files are changed outside of the engine, which
// does not know who changed them.
import type { Audit } from '../../ports/audit.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';

/** Records the settings that are in force now. Throws what the audit trail throws; the next call records them then. */
export type AuditSettings = () => Promise<void>;

type AuditSettingsParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append' | 'list'>;
};

type Details = Readonly<Record<string, string | boolean>>;

const REMOVED: Details = { removed: true };

export function makeAuditSettings({ sites, audit }: AuditSettingsParts): AuditSettings {
  const noted = new Map<string, string>();

  async function note(site: string, details: Details): Promise<void> {
    const text = JSON.stringify(details);
    if (noted.get(site) === text) return;
    // Another engine, or this one before its restart, may have recorded the same settings.
    const { entries } = await audit.list({ scope: [site], action: 'site.settings', limit: 1 });
    const isRecorded = entries.some((entry) => isSame(entry.details, details));
    if (!isRecorded) await audit.append({ action: 'site.settings', actor: 'engine', site, details });
    noted.set(site, text);
  }

  return async () => {
    const current = sites.current().sites;
    for (const site of current.values()) await note(site.name, detailsOf(site));
    for (const name of noted.keys()) if (!current.has(name)) await note(name, REMOVED);
  };
}

/** The version is a hash of all files; mode and review are listed because they matter most. */
function detailsOf({ version, settings: { mode, write } }: LoadedSite): Details {
  return { version, mode, review: write.review };
}

function isSame(recorded: Readonly<Record<string, unknown>> | undefined, details: Details): boolean {
  const names = Object.keys(details);
  return (
    recorded !== undefined &&
    Object.keys(recorded).length === names.length &&
    names.every((name) => recorded[name] === details[name])
  );
}
