export const people = {
  signIn: {
    title: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    submit: 'Sign in',
    forgot: 'Forgot the password?',
    wrong: 'The e-mail address or the password is wrong.',
  },
};
