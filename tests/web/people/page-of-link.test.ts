import { describe, expect, it } from '@jest/globals';
import { pageOfLink } from '../../../web/src/people/notifications/page-of-link.js';

describe('pageOfLink', () => {
  it.each([
    [
      '/api/v1/training/experiments/e7a3?tenant=demo',
      { to: '/t/$tenant/training/$experimentId', params: { tenant: 'demo', experimentId: 'e7a3' } },
    ],
    [
      '/api/v1/models/road%20signs/versions/3?tenant=demo',
      {
        to: '/t/$tenant/models/$name/$version',
        params: { tenant: 'demo', name: 'road signs', version: '3' },
      },
    ],
    [
      '/api/v1/datasets/a%2Fb?tenant=north',
      { to: '/t/$tenant/datasets/$datasetId', params: { tenant: 'north', datasetId: 'a/b' } },
    ],
    [
      '/api/v1/settings/tenants/deletions/d-1',
      { to: '/t/$tenant/admin/deletions/$deletionId', params: { tenant: 'shown', deletionId: 'd-1' } },
    ],
    [
      '/api/v1/edge/devices/line-3?tenant=demo',
      { to: '/t/$tenant/edge/$deviceId', params: { tenant: 'demo', deviceId: 'line-3' } },
    ],
    [
      '/api/v1/deployments/d-1?tenant=demo',
      { to: '/t/$tenant/deployments/$deploymentId', params: { tenant: 'demo', deploymentId: 'd-1' } },
    ],
    ['/users/me/tokens', { to: '/account', params: {}, search: { tab: 'tokens' } }],
  ])('leads %s to the page of the same thing', (link, page) => {
    expect(pageOfLink(link, 'shown')).toEqual(page);
  });

  it('has no page for what the console does not show', () => {
    for (const link of [null, '', '/api/v1/alerts/1', '/api/v1/models//versions/1', '/api/v1/datasets/%ff'])
      expect(pageOfLink(link, 'demo')).toBeNull();
  });

  it('leads to no other host', () => {
    for (const link of [
      'https://elsewhere.example/api/v1/datasets/a',
      '//elsewhere.example',
      'javascript:alert(1)',
    ])
      expect(pageOfLink(link, 'demo')).toBeNull();
  });

  it('has no page of a tenant for readers without one', () => {
    expect(pageOfLink('/api/v1/settings/tenants/deletions/d-1', null)).toBeNull();
  });
});
