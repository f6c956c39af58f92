// Puts into the audit trail which settings and mappings of a site came into force, and when. Files are changed outside of the engine: who
// did it, only whoever keeps the files can say.
import type { Audit } from '../../ports/audit.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';

/** Looks at what is in force now. Throws what the trail throws: then it is noted at the next look. */
export type AuditSettings = () => Promise<void>;

type NoteParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append' | 'list'>;
};

type Details = Readonly<Record<string, string | boolean>>;

const REMOVED: Details = { removed: true };

export function makeAuditSettings({ sites, audit }: NoteParts): AuditSettings {
  const noted = new Map<string, string>();

  async function note(site: string, details: Details): Promise<void> {
    const text = JSON.stringify(details);
    if (noted.get(site) === text) return;
    // Another engine may have been quicker, or this one may have noted it before its start.
    const { entries } = await audit.list({ site, action: 'site.settings', limit: 1 });
    const isKnown = entries.some((entry) => isSame(entry.details, details));
    if (!isKnown) await audit.append({ action: 'site.settings', actor: 'engine', site, details });
    noted.set(site, text);
  }

  return async () => {
    const current = sites.current().sites;
    for (const site of current.values()) await note(site.name, detailsOf(site));
    for (const name of noted.keys()) if (!current.has(name)) await note(name, REMOVED);
  };
}

/** The version is a hash of all files; the others say what matters most in words. */
function detailsOf({ version, settings: { mode, write } }: LoadedSite): Details {
  return { version, mode, review: write.review };
}

function isSame(kept: Readonly<Record<string, unknown>> | undefined, details: Details): boolean {
  const names = Object.keys(details);
  return (
    kept !== undefined &&
    Object.keys(kept).length === names.length &&
    names.every((name) => kept[name] === details[name])
  );
}
