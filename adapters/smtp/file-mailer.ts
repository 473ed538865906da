import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Mailer } from '../../core/ports/mailer.js';
import type { Logger } from '../../core/logging/logger.js';
import type { MailFile } from './mail-files.js';

/**
 * Development's mailer: one JSON file for each mail, readable by the service's user alone. The log names only the file.
 * The key becomes the file's name, so a repeat replaces the same file.
 */
export function createFileMailer(directory: string, logger: Logger): Mailer {
  return {
    async send(mail, key) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const file = path.join(
        directory,
        `${key.replace(/[^A-Za-z0-9-]/g, '-')}-${mail.kind.replace(/[^A-Za-z0-9-]/g, '-')}.json`,
      );
      const draft = `${file}.tmp`;
      const handle = await open(draft, 'w', 0o600);
      try {
        const kept: MailFile = {
          to: mail.to,
          subject: mail.subject,
          text: mail.text,
          kind: mail.kind,
          token: mail.token,
          key,
          tenant_ids: mail.tenantIds ?? [],
        };
        await handle.writeFile(`${JSON.stringify(kept, null, 2)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(draft, file);
      logger.info({ file }, 'mail written');
    },
  };
}
