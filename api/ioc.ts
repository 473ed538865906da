import type { IocContainer, IocContainerFactory } from '@tsoa/runtime';
import type { Request } from 'express';
import type { AppLocals } from './auth/authentication.js';

export const iocContainer: IocContainerFactory = (request): IocContainer => ({
  get<T>(controller: unknown): T {
    const factory = ((request as Request).app.locals as AppLocals).controllers.get(controller);
    if (!factory) throw new Error('a controller is missing in api/container.ts');
    return factory() as T;
  },
});
