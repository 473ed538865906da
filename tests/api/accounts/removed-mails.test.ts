import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createFileMailer } from '../../../adapters/smtp/file-mailer.js';
import { mailDirectory, openKeptMails } from '../../../adapters/smtp/open-mailer.js';
import { Dispatcher } from '../../../activities/dispatch/dispatcher.js';
import { createMailRemoval } from '../../../activities/dispatch/mail-removal.js';
import type { KeptMails } from '../../../core/ports/kept-mails.js';
import type { WorkflowEngine } from '../../../core/ports/workflow-engine.js';
import { startTestApi, type TestApi, type TestUser } from '../support/test-api.js';

describe('mails to an account', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  const ask = (email: string) => api.call('POST', '/auth/request-verify-token', { json: { email } });
  /** Passes of the mail dispatcher until nothing is due. @param kept what a worker finds of the mail directory */
  const removeMails = async (kept: Pick<KeptMails, 'removeTo'> = openKeptMails(api.container.settings)) => {
    const { db: database, listener, logger, settings } = api.container;
    const mailer = createFileMailer(mailDirectory(settings), logger);
    const deps = {
      database,
      listener,
      logger,
      engine: {} as WorkflowEngine,
      mailer,
      removeMails: createMailRemoval(database, kept),
      keys: settings.SERVICE_SECRET_KEYS,
    };
    while ((await new Dispatcher(deps, 'mail').tick()) > 0);
  };
  const due = () =>
    api.container.db.inPlatform((tx) =>
      tx.execute("update dispatch set next_attempt_at = clock_timestamp() where kind <> 'start'"),
    );
  const waiting = async () =>
    (
      await api.container.db.inPlatform((tx) =>
        tx.query("select kind from dispatch where kind like 'mail%' order by id"),
      )
    ).map((row) => row.kind);
  const files = async (email: string) => {
    const directory = mailDirectory(api.container.settings);
    const all = await Promise.all(
      (await readdir(directory)).map(
        async (name) => JSON.parse(await readFile(path.join(directory, name), 'utf8')) as { to: string },
      ),
    );
    return all.filter((mail) => mail.to.toLowerCase() === email.toLowerCase()).length;
  };
  const remove = (user: TestUser) => api.call('DELETE', `/users/${user.id}`, { token: api.admin.token });
  const register = (email: string) =>
    api.call('POST', '/auth/register', { json: { email, password: 'a decent one 77' } });

  it('go with it, those that wait and those that are kept; nobody else loses one', async () => {
    const [gone, other] = [await api.addUser(), await api.addUser()];
    for (const user of [gone, other]) await ask(user.email);
    await removeMails();
    expect([await files(gone.email), await files(other.email)]).toEqual([1, 1]);
    for (const user of [gone, other]) await ask(user.email);
    await remove(gone);
    expect(await waiting()).toEqual(['mail', 'mail', 'mail-removal']);
    // Whoever registers with the address afterwards gets mails of their own.
    await register(gone.email);
    await ask(gone.email);
    await removeMails();
    // One pass hands out the waiting mail and the removal at once, so the removal is tried once more.
    await due();
    await removeMails();
    expect([await waiting(), await files(gone.email), await files(other.email)]).toEqual([[], 1, 2]);
  });

  it('stay asked to be removed while the mail directory cannot be read, and go once it can', async () => {
    const user = await api.addUser();
    await ask(user.email);
    await removeMails();
    await remove(user);
    await removeMails({ removeTo: () => Promise.reject(new Error('EIO')) });
    expect([await waiting(), await files(user.email)]).toEqual([['mail-removal'], 1]);
    await due();
    await removeMails();
    expect([await waiting(), await files(user.email)]).toEqual([[], 0]);
  });

  it('go with an address that it gives up', async () => {
    const user = await api.addUser();
    await ask(user.email);
    await removeMails();
    await api.call('PATCH', `/users/${user.id}`, {
      token: api.admin.token,
      json: { email: `moved-${randomUUID()}@example.com` },
    });
    await removeMails();
    expect([await waiting(), await files(user.email)]).toEqual([[], 0]);
  });
});
