//! Parallel work within the limit that cargo gives.
//!
//! Cargo shares one pool of job tokens among everything that it runs (the GNU make protocol). A build script owns
//! one token from the start; every further job takes one and gives it back. Without cargo the limit is `NUM_JOBS`
//! or the number of processors. Does not know what the jobs do.

use std::{
    io,
    sync::{Mutex, OnceLock, PoisonError, mpsc},
    thread,
};

use jobserver::{Acquired, Client, HelperThread};

use crate::env::Env;

/// Runs `work` on every item, several at a time, and returns the results in the items' order.
///
/// A panic in `work` is passed on once the jobs that run have ended.
pub fn run<T: Send, R: Send>(env: &Env, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = items.len();
    let results: Mutex<Vec<Option<R>>> =
        Mutex::new(std::iter::repeat_with(|| None).take(count).collect());
    let (send, receive) = mpsc::channel();
    let helper = token_source(env, count, &send);
    let mut waiting = items.into_iter().enumerate();

    thread::scope(|scope| {
        // The first `None` is the token that this process was started with.
        let mut tokens: Vec<Option<Acquired>> = vec![None];
        let mut running = 0_usize;
        loop {
            while !tokens.is_empty() {
                let Some((index, item)) = waiting.next() else {
                    // Others may use what is not needed any more.
                    tokens.clear();
                    break;
                };
                let token = tokens.pop().flatten();
                let (send, work, results) = (send.clone(), &work, &results);
                running += 1;
                scope.spawn(move || {
                    // Reports the end even when `work` panics, so that the loop below cannot wait for ever.
                    let _done = Done(send, token);
                    let result = work(item);
                    results.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(result);
                });
            }
            if running == 0 {
                break;
            }
            match receive.recv() {
                Ok(Event::Token(Ok(token))) => tokens.push(Some(token)),
                // Without more tokens the work goes on with those at hand.
                Ok(Event::Token(Err(_))) => {}
                Ok(Event::Done(token)) => {
                    running -= 1;
                    tokens.push(token);
                }
                Err(_) => break,
            }
        }
    });
    drop(helper);
    results
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .into_iter()
        .flatten()
        .collect()
}

enum Event {
    Token(io::Result<Acquired>),
    Done(Option<Acquired>),
}

struct Done(mpsc::Sender<Event>, Option<Acquired>);

impl Drop for Done {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Done(self.1.take()));
    }
}

/// A thread that asks for as many tokens as there are jobs beyond the first; ends when dropped.
fn token_source(env: &Env, jobs: usize, send: &mpsc::Sender<Event>) -> Option<HelperThread> {
    if jobs < 2 {
        return None;
    }
    let client = match inherited(env) {
        Some(client) => client,
        None => Client::new(limit(env).saturating_sub(1)).ok()?,
    };
    let send = send.clone();
    let helper = client
        .into_helper_thread(move |token| {
            let _ = send.send(Event::Token(token));
        })
        .ok()?;
    for _ in 1..jobs {
        helper.request_token();
    }
    Some(helper)
}

/// Cargo's own pool, when this process runs in one.
fn inherited(env: &Env) -> Option<Client> {
    static CLIENT: OnceLock<Option<Client>> = OnceLock::new();
    if !env.is_process() {
        return None;
    }
    CLIENT
        .get_or_init(|| {
            // SAFETY: the descriptors that the environment names are checked to be open pipes, and nothing in this
            // crate closes descriptors that it did not open.
            #[allow(unsafe_code)]
            unsafe { Client::from_env_ext(true) }.client.ok()
        })
        .clone()
}

/// How many jobs at a time when nobody shares tokens; at least one.
fn limit(env: &Env) -> usize {
    env.peek("NUM_JOBS")
        .and_then(|jobs| jobs.to_str()?.parse().ok())
        .filter(|&jobs: &usize| jobs > 0)
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into))
        .min(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn most_at_once(jobs: &str) -> usize {
        let env = Env::from_map([("NUM_JOBS", jobs)]);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = run(&env, (0..12).collect(), |item: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(std::time::Duration::from_millis(20));
            now.fetch_sub(1, Ordering::SeqCst);
            item * 2
        });
        assert_eq!(results, (0..12).map(|item| item * 2).collect::<Vec<_>>());
        most.into_inner()
    }

    #[test]
    fn never_more_at_once_than_allowed_and_in_order() {
        assert_eq!(most_at_once("1"), 1);
        assert!((2..=3).contains(&most_at_once("3")));
    }

    #[test]
    fn nothing_to_do_is_fine() {
        assert!(run(&Env::from_map([("A", "b")]), Vec::<u8>::new(), |item| item).is_empty());
    }

    #[test]
    fn a_panic_is_passed_on_and_does_not_hang() {
        let env = Env::from_map([("NUM_JOBS", "2")]);
        let result = std::panic::catch_unwind(|| {
            run(&env, vec![1, 2, 3], |item| assert_ne!(item, 2));
        });
        assert!(result.is_err());
    }
}
