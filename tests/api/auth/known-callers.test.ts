import { describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/test-api.js';

describe('the warm path', () => {
  it('asks the database for nothing when who calls is known', async () => {
    const api = await startTestApi();
    try {
      const tenant = await api.addTenant();
      const user = await api.addUser({ [tenant.code]: 'VIEWER' });
      await api.call('GET', '/users/me', { token: user.token });
      const { db } = api.container;
      let asked = 0;
      const inPlatform = db.inPlatform.bind(db);
      db.inPlatform = (work) => {
        asked += 1;
        return inPlatform(work);
      };
      for (let i = 0; i < 20; i += 1)
        expect((await api.call('GET', '/users/me', { token: user.token })).status).toBe(200);
      expect(asked).toBe(0);
    } finally {
      await api.close();
    }
  });
});
