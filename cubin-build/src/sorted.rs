//! Sorted maps, sets and sorting that are light to compile.
//!
//! A build-dependency is compiled in every clean build, and each type put in a `BTreeMap` costs about 90 functions, in a
//! `HashMap` 40, each sorted one 30. What is generic here is little: order and search are found by functions over
//! positions, which are compiled once. Nothing is ever as fast as it could be, and nothing is slow: an insertion moves
//! 4 bytes for each larger key, so tens of thousands of kernels are not a burden.

use std::{borrow::Borrow, cmp::Ordering, fmt, ops::Index};

/// A map in the order of its keys.
#[derive(Clone)]
pub struct Map<K, V> {
    keys: Set<K>,
    /// In the order their keys came.
    values: Vec<V>,
}

impl<K, V> Map<K, V> {
    /// Nothing.
    pub const fn new() -> Self {
        Self {
            keys: Set::new(),
            values: Vec::new(),
        }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Keys with their values, by key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter {
            map: self,
            order: &self.keys.order,
        }
    }

    /// The keys in order.
    pub fn keys(&self) -> SetIter<'_, K> {
        self.keys.iter()
    }

    /// Keys with their values, which may be changed, in the order they came.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut V)> {
        self.keys.items.iter().zip(&mut self.values)
    }

    /// The values, by key.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Map<K, V> {
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.keys.find(key) {
            Ok(place) => Some(&self.values[place]),
            Err(_) => None,
        }
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match self.keys.find(key) {
            Ok(place) => Some(&mut self.values[place]),
            Err(_) => None,
        }
    }

    /// Whether the key is there.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.keys.contains(key)
    }

    /// Sets the value of a key; returns the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.keys.add(key) {
            Added::Before(place) => Some(std::mem::replace(&mut self.values[place], value)),
            Added::Now => {
                self.values.push(value);
                None
            }
        }
    }

    /// The value of a key, made when the key is new.
    pub fn or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.keys.add(key) {
            Added::Before(place) => place,
            Added::Now => {
                self.values.push(make());
                self.values.len() - 1
            }
        };
        &mut self.values[place]
    }

    /// The value of a key; the default when the key is new.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert_with(key, V::default)
    }
}

/// The place that `compare` finds equal, or the rank of what it looks for.
fn find(order: &[u32], compare: &dyn Fn(usize) -> Ordering) -> Result<usize, usize> {
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let place = order[middle] as usize;
        match compare(place) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Ok(place),
        }
    }
    Err(low)
}

/// Takes the first position.
fn first(order: &mut &[u32]) -> Option<usize> {
    let (first, rest) = order.split_first()?;
    *order = rest;
    Some(*first as usize)
}

fn insert(order: &mut Vec<u32>, rank: usize, place: usize) {
    // Four thousand million entries do not fit in memory beside their keys.
    order.insert(rank, u32::try_from(place).unwrap_or(u32::MAX));
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(one, other)| one == other)
    }
}

impl<K: Eq, V: Eq> Eq for Map<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Ord + Borrow<Q>, Q: Ord + ?Sized, V> Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("no such key")
    }
}

impl<K: Ord, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

/// Borrowed entries of a [`Map`], by key.
pub struct Iter<'m, K, V> {
    map: &'m Map<K, V>,
    /// Of what is left.
    order: &'m [u32],
}

impl<'m, K, V> Iterator for Iter<'m, K, V> {
    type Item = (&'m K, &'m V);

    fn next(&mut self) -> Option<Self::Item> {
        let place = first(&mut self.order)?;
        Some((&self.map.keys.items[place], &self.map.values[place]))
    }
}

impl<'m, K, V> IntoIterator for &'m Map<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Iter<'m, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Zip<std::vec::IntoIter<K>, std::vec::IntoIter<V>>;

    fn into_iter(mut self) -> Self::IntoIter {
        arrange(&mut self.keys.order, &mut |a, b| {
            self.keys.items.swap(a, b);
            self.values.swap(a, b);
        });
        self.keys.items.into_iter().zip(self.values)
    }
}

/// A set in order.
#[derive(Clone)]
pub struct Set<T> {
    /// In the order they came.
    items: Vec<T>,
    /// Positions in `items`, in order.
    order: Vec<u32>,
}

impl<T> Set<T> {
    /// Nothing.
    pub const fn new() -> Self {
        Self {
            items: Vec::new(),
            order: Vec::new(),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All, in order.
    pub fn iter(&self) -> SetIter<'_, T> {
        SetIter {
            items: &self.items,
            order: &self.order,
        }
    }

    /// All, in order.
    pub fn into_vec(mut self) -> Vec<T> {
        arrange(&mut self.order, &mut |a, b| self.items.swap(a, b));
        self.items
    }
}

impl<T: Ord> Set<T> {
    /// Whether it is there.
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.find(value).is_ok()
    }

    /// Adds one; whether it is new.
    pub fn insert(&mut self, value: T) -> bool {
        matches!(self.add(value), Added::Now)
    }

    fn add(&mut self, value: T) -> Added {
        match self.find(&value) {
            Ok(place) => Added::Before(place),
            Err(rank) => {
                insert(&mut self.order, rank, self.items.len());
                self.items.push(value);
                Added::Now
            }
        }
    }

    /// The place in `items`, or where it would stand in the order.
    fn find<Q: Ord + ?Sized>(&self, value: &Q) -> Result<usize, usize>
    where
        T: Borrow<Q>,
    {
        find(&self.order, &|place| self.items[place].borrow().cmp(value))
    }
}

/// When a value came into a set.
enum Added {
    /// It has been there, at this place of `items`.
    Before(usize),
    /// It is the last one of `items`.
    Now,
}

/// Borrowed items of a [`Set`], in order.
pub struct SetIter<'s, T> {
    items: &'s [T],
    order: &'s [u32],
}

impl<'s, T> Iterator for SetIter<'s, T> {
    type Item = &'s T;

    fn next(&mut self) -> Option<Self::Item> {
        Some(&self.items[first(&mut self.order)?])
    }
}

impl<'s, T> IntoIterator for &'s Set<T> {
    type Item = &'s T;
    type IntoIter = SetIter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> IntoIterator for Set<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

impl<T> Default for Set<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: Ord> Extend<T> for Set<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        for value in values {
            self.insert(value);
        }
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut set = Self::new();
        set.extend(values);
        set
    }
}

/// Sorts; what `compare` finds equal stays in its order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut order = order(items.len(), &|a, b| compare(&items[a], &items[b]));
    arrange(&mut order, &mut |a, b| items.swap(a, b));
}

/// Sorts by a key; what has the same stays in its order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts by `Ord`.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Which position's item comes first, second, ….
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
    order.sort_by(|a, b| compare(*a as usize, *b as usize));
    order
}

/// Swaps items until each position holds what `order` says for it. `order` is used up.
fn arrange(order: &mut [u32], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at as u32) as usize;
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Numbers without order, the same at every run.
    fn numbers(count: usize) -> Vec<u32> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        (0..count).map(|_| next() % 300).collect()
    }

    #[test]
    fn a_map_is_what_the_standard_librarys_is() {
        let mut known: BTreeMap<u32, usize> = BTreeMap::new();
        let mut map: Map<u32, usize> = Map::new();
        for (index, key) in numbers(2000).into_iter().enumerate() {
            assert_eq!(map.insert(key, index), known.insert(key, index));
            if let Some(value) = map.get_mut(&(key / 3)) {
                *value += 1;
                *known.get_mut(&(key / 3)).unwrap() += 1;
            }
            assert_eq!(map.get(&(key / 2)), known.get(&(key / 2)));
            assert_eq!(map.len(), known.len());
        }
        assert!(map.len() > 100);
        assert!(map.iter().eq(&known));
        assert!(map.keys().eq(known.keys()) && map.values().eq(known.values()));
        assert_eq!(format!("{map:?}"), format!("{known:?}"));
        assert!(map.into_iter().eq(known));
    }

    #[test]
    fn maps_are_equal_whatever_the_order_of_insertion() {
        let one: Map<&str, u8> = [("a", 1), ("b", 2)].into_iter().collect();
        let other: Map<&str, u8> = [("b", 2), ("a", 1)].into_iter().collect();
        assert_eq!(one, other);
        assert_ne!(one, [("a", 1)].into_iter().collect());
        assert_eq!(one["b"], 2);
    }

    #[test]
    fn a_value_is_made_once() {
        let mut map: Map<String, Vec<u8>> = Map::new();
        map.or_default("a".to_owned()).push(1);
        map.or_insert_with("a".to_owned(), || panic!("is there"))
            .push(2);
        assert_eq!(map.get("a"), Some(&vec![1, 2]));
    }

    #[test]
    fn a_set_is_sorted_and_has_each_once() {
        let set: Set<u32> = numbers(900).into_iter().collect();
        let mut expected = numbers(900);
        expected.sort_unstable();
        expected.dedup();
        assert!(set.iter().eq(&expected) && set.contains(&expected[7]) && !set.contains(&300));
        assert_eq!(set.into_vec(), expected);
    }

    #[test]
    fn sorting_keeps_the_order_of_equals() {
        let mut items: Vec<(u32, usize)> = numbers(1500).into_iter().zip(0..).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|item| item.0);
        sort_by(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(items, expected);
        sort::<u8>(&mut []);
    }
}
